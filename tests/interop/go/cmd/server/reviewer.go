package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"interop/texts"
)

const gap = 150 * time.Millisecond

var contract = regexp.MustCompile(`HD-\d{4}-\d{3}`)

// reviewer reviews contracts, and knows some words.
type reviewer struct {
	texts texts.Reviewer
}

// Execute takes a turn.
func (r *reviewer) Execute(
	ctx context.Context, request *a2asrv.RequestContext, queue eventqueue.Queue,
) error {
	text := request.Message.Parts[0].(a2a.TextPart).Text
	turn := turn{ctx, request, queue}
	if said, is := strings.CutPrefix(text, "msg "); is {
		return queue.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: said}))
	}
	if request.StoredTask == nil {
		task := a2a.NewSubmittedTask(request, request.Message)
		if err := queue.Write(ctx, task); err != nil {
			return err
		}
	}
	if count, is := strings.CutPrefix(text, "ticks "); is {
		return turn.tick(count)
	}
	if text == "parts" {
		return turn.result("parts", request.Message.Parts[1:], "")
	}
	if !contract.MatchString(text) {
		return turn.status(a2a.TaskStateInputRequired, r.texts.Question)
	}
	if err := turn.status(a2a.TaskStateWorking, r.texts.Working); err != nil {
		return err
	}
	findings := a2a.ContentParts{a2a.TextPart{Text: r.texts.Findings()}}
	return turn.result(r.texts.Artifact, findings, r.texts.Completed)
}

// Cancel ends the task, and with it the turn that runs.
func (r *reviewer) Cancel(
	ctx context.Context, request *a2asrv.RequestContext, queue eventqueue.Queue,
) error {
	return turn{ctx, request, queue}.status(a2a.TaskStateCanceled, "")
}

// turn writes the events of a message's answer.
type turn struct {
	ctx     context.Context
	request *a2asrv.RequestContext
	queue   eventqueue.Queue
}

func (t turn) tick(count string) error {
	last, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for number := 1; number <= last; number++ {
		select {
		case <-time.After(gap):
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
		err := t.status(a2a.TaskStateWorking, fmt.Sprintf("%d/%d", number, last))
		if err != nil {
			return err
		}
	}
	return t.status(a2a.TaskStateCompleted, "")
}

// result writes an artifact, and that the task is completed.
func (t turn) result(name string, parts a2a.ContentParts, said string) error {
	event := a2a.NewArtifactEvent(t.request, parts...)
	event.Artifact.Name = name
	event.LastChunk = true
	if err := t.queue.Write(t.ctx, event); err != nil {
		return err
	}
	return t.status(a2a.TaskStateCompleted, said)
}

// status writes a state, with what the agent says to it if that is something.
func (t turn) status(state a2a.TaskState, said string) error {
	var message *a2a.Message
	if said != "" {
		part := a2a.TextPart{Text: said}
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, t.request, part)
	}
	event := a2a.NewStatusUpdateEvent(t.request, state, message)
	// The stream goes on only while the agent works.
	event.Final = state != a2a.TaskStateWorking
	return t.queue.Write(t.ctx, event)
}
