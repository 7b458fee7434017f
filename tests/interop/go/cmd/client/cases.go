package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"interop/texts"
)

func card(_ context.Context, agents *agents) {
	card := agents.reviewer.card
	equal(card.Name, agents.texts.Name)
	equal(card.Capabilities.Streaming, true)
	equal(card.ProtocolVersion, "0.3.0")
	equal(card.Skills[0].ID, "risk-review")
}

func conversation(ctx context.Context, agents *agents) {
	texts, reviewer := agents.texts, agents.reviewer
	asked := reviewer.task(ctx, user(texts.Vague))
	equal(asked.Status.State, a2a.TaskStateInputRequired)
	equal(said(asked.Status), texts.Question)
	done := reviewer.task(ctx, to(asked, texts.Answer))
	equal(done.TaskInfo(), asked.TaskInfo())
	finished(texts, done)
}

func conversationStreaming(ctx context.Context, agents *agents) {
	texts, reviewer := agents.texts, agents.reviewer
	events := must(all(reviewer.stream(ctx, user(texts.Vague))))
	task := first(events)
	// The stream ends where the task waits.
	equal(shapes(events), []string{"task", "input-required"})
	ended(events, a2a.TaskStateInputRequired)
	events = must(all(reviewer.stream(ctx, to(task, texts.Answer))))
	// A stream that goes on with a task may begin with it.
	updates := slices.DeleteFunc(events, func(event a2a.Event) bool { return shape(event) == "task" })
	equal(shapes(updates), []string{"working", texts.Artifact, "completed"})
	artifact := updates[1].(*a2a.TaskArtifactUpdateEvent).Artifact
	equal(text(artifact.Parts), texts.Findings())
	ended(updates, a2a.TaskStateCompleted)
	finished(texts, must(reviewer.get(ctx, task.ID)))
}

func directMessage(ctx context.Context, agents *agents) {
	answer := must(agents.puppet.send(ctx, user("msg well met")))
	equal(shape(answer), "message")
	equal(text(answer.(*a2a.Message).Parts), "well met")
	events := must(all(agents.puppet.stream(ctx, user("msg well met"))))
	equal(shapes(events), []string{"message"})
	equal(text(events[0].(*a2a.Message).Parts), "well met")
}

func filesAndData(ctx context.Context, agents *agents) {
	sent := texts.ReadParts()
	task := agents.puppet.task(ctx, user("parts", sent...))
	equal(task.Artifacts[0].Parts, sent)
	equal(task.History[0].Parts[1:], sent)
}

func get(ctx context.Context, agents *agents) {
	texts, reviewer := agents.texts, agents.reviewer
	asked := reviewer.task(ctx, user(texts.Vague))
	reviewer.task(ctx, to(asked, texts.Answer))
	finished(texts, must(reviewer.get(ctx, asked.ID)))
	// On gRPC none at all cannot be asked for: 0 is as if it were not said.
	newest := 1
	query := &a2a.TaskQueryParams{ID: asked.ID, HistoryLength: &newest}
	short := must(reviewer.GetTask(ctx, query))
	equal(len(short.History), newest)
}

func polling(ctx context.Context, agents *agents) {
	task := agents.puppet.start(ctx, "ticks 2")
	begun := []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking}
	equal(slices.Contains(begun, task.Status.State), true)
	for task.Status.State != a2a.TaskStateCompleted {
		time.Sleep(100 * time.Millisecond)
		task = must(agents.puppet.get(ctx, task.ID))
	}
}

// resubscribe leaves a stream and comes back, while another reader stays: both see every tick.
func resubscribe(ctx context.Context, agents *agents) {
	begun := make(chan a2a.TaskID, 1)
	stayed := make(chan []a2a.Event, 1)
	go func() {
		defer close(begun)
		var events []a2a.Event
		for event, err := range agents.puppet.stream(ctx, user("ticks 8")) {
			if err != nil {
				fmt.Fprintln(os.Stderr, "the reader who stays:", err)
				break
			}
			if len(events) == 0 {
				begun <- event.TaskInfo().TaskID
			}
			events = append(events, event)
		}
		stayed <- events
	}()
	id := <-begun
	left, leave := context.WithCancel(ctx)
	for event, err := range agents.puppet.subscribe(left, id) {
		if shape(must(event, err)) == "working" {
			break
		}
	}
	leave()
	back := must(all(agents.puppet.subscribe(ctx, id)))
	var every []string
	for number := 1; number <= 8; number++ {
		every = append(every, fmt.Sprintf("%d/8", number))
	}
	for _, events := range [][]a2a.Event{<-stayed, back} {
		equal(ticks(events), every)
		ended(events, a2a.TaskStateCompleted)
	}
	// Of a task that has ended there is the task, and the stream ends.
	again := must(all(agents.puppet.subscribe(ctx, id)))
	equal(shapes(again), []string{"task"})
	equal(first(again).Status.State, a2a.TaskStateCompleted)
}

func cancelAWaitingTask(ctx context.Context, agents *agents) {
	task := agents.reviewer.task(ctx, user(agents.texts.Vague))
	equal(must(agents.reviewer.cancel(ctx, task.ID)).Status.State, a2a.TaskStateCanceled)
	equal(must(agents.reviewer.get(ctx, task.ID)).Status.State, a2a.TaskStateCanceled)
}

func cancelARunningTask(ctx context.Context, agents *agents) {
	var events []a2a.Event
	canceled := false
	for event, err := range agents.puppet.stream(ctx, user("ticks 100")) {
		events = append(events, must(event, err))
		if !canceled && shape(event) == "working" {
			task := must(agents.puppet.cancel(ctx, event.TaskInfo().TaskID))
			equal(task.Status.State, a2a.TaskStateCanceled)
			canceled = true
		}
	}
	ended(events, a2a.TaskStateCanceled)
	task := must(agents.puppet.get(ctx, first(events).ID))
	equal(task.Status.State, a2a.TaskStateCanceled)
}

func unknownTask(ctx context.Context, agents *agents) {
	reviewer, unknown := agents.reviewer, &a2a.Task{ID: a2a.NewTaskID()}
	_, got := reviewer.get(ctx, unknown.ID)
	_, canceled := reviewer.cancel(ctx, unknown.ID)
	_, subscribed := all(reviewer.subscribe(ctx, unknown.ID))
	_, sent := reviewer.send(ctx, to(unknown, "hello"))
	_, streamed := all(reviewer.stream(ctx, to(unknown, "hello")))
	for _, err := range []error{got, canceled, subscribed, sent, streamed} {
		agents.refused(err, a2a.ErrTaskNotFound, codes.NotFound)
	}
}

func finishedTask(ctx context.Context, agents *agents) {
	reviewer := agents.reviewer
	task := reviewer.task(ctx, user(agents.texts.Answer))
	_, canceled := reviewer.cancel(ctx, task.ID)
	agents.refused(canceled, a2a.ErrTaskNotCancelable, codes.FailedPrecondition)
	_, sent := reviewer.send(ctx, to(task, "more"))
	_, streamed := all(reviewer.stream(ctx, to(task, "more")))
	for _, err := range []error{sent, streamed} {
		agents.refused(err, a2a.ErrUnsupportedOperation, codes.FailedPrecondition)
	}
}

// refused ends the case unless this is the error; on gRPC the kit tells no more than its code.
func (a *agents) refused(err, wanted error, code codes.Code) {
	if a.binding == string(a2a.TransportProtocolGRPC) {
		equal(status.Code(err), code)
	} else if !errors.Is(err, wanted) {
		fail("%v, wanted %v", err, wanted)
	}
}
