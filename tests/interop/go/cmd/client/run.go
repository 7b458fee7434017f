package main

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"
)

const caseTime = 30 * time.Second

type testCase struct {
	name string
	test func(context.Context, *agents)
}

// failure is what ends a case.
type failure string

// run puts the agents through the cases, one after the other; each has its line on standard output.
func run(all *agents, cases []testCase) {
	for _, each := range cases {
		if why := fails(all, each.test); why != "" {
			fmt.Printf("FAIL %s: %s\n", each.name, strings.Join(strings.Fields(why), " "))
		} else {
			fmt.Printf("ok %s\n", each.name)
		}
	}
}

// fails says why a case fails, which is nothing if it does not.
func fails(all *agents, test func(context.Context, *agents)) (why string) {
	ctx, cancel := context.WithTimeout(context.Background(), caseTime)
	defer cancel()
	defer func() {
		switch found := recover().(type) {
		case nil:
		case failure:
			why = string(found)
		default:
			panic(found)
		}
	}()
	test(ctx, all)
	return ""
}

// equal ends the case where the two differ.
func equal(found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		fail("%#v, wanted %#v", found, wanted)
	}
}

// must ends the case if there is an error.
func must[T any](value T, err error) T {
	if err != nil {
		fail("%v", err)
	}
	return value
}

// fail ends the case, and says in which line of it.
func fail(format string, values ...any) {
	_, file, line, _ := runtime.Caller(2)
	why := fmt.Sprintf(format, values...)
	panic(failure(fmt.Sprintf("%s (%s:%d)", why, filepath.Base(file), line)))
}
