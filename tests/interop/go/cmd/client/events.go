package main

import (
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
	"interop/texts"
)

// text is that of the parts that are text.
func text(parts a2a.ContentParts) string {
	var lines []string
	for _, part := range parts {
		if part, is := part.(a2a.TextPart); is {
			lines = append(lines, part.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// said is what the agent says to a state.
func said(status a2a.TaskStatus) string {
	if status.Message == nil {
		return ""
	}
	return text(status.Message.Parts)
}

// shape is the kind of an event: the state of a status, the name of an artifact.
func shape(event a2a.Event) string {
	switch event := event.(type) {
	case *a2a.Task:
		return "task"
	case *a2a.TaskStatusUpdateEvent:
		return string(event.Status.State)
	case *a2a.TaskArtifactUpdateEvent:
		return event.Artifact.Name
	}
	return "message"
}

func shapes(events []a2a.Event) (shapes []string) {
	for _, event := range events {
		shapes = append(shapes, shape(event))
	}
	return shapes
}

// first is the task that a stream begins with.
func first(events []a2a.Event) *a2a.Task {
	if len(events) > 0 {
		if task, is := events[0].(*a2a.Task); is {
			return task
		}
	}
	fail("%v, wanted a task first", shapes(events))
	return nil
}

// ended ends the case unless a stream ends in this state, and says that this is the end.
func ended(events []a2a.Event, state a2a.TaskState) {
	if len(events) > 0 {
		last, is := events[len(events)-1].(*a2a.TaskStatusUpdateEvent)
		if is && last.Status.State == state && last.Final {
			return
		}
	}
	fail("%v, wanted %v as the final one", shapes(events), state)
}

// ticks are the numbered statuses of a stream, with those that its first event, the task, holds.
func ticks(events []a2a.Event) (numbers []string) {
	task := first(events)
	messages := slices.Clone(task.History)
	if now := task.Status.Message; now != nil {
		same := func(message *a2a.Message) bool { return message.ID == now.ID }
		// Some agents put a status into the history at once, others when the next one comes.
		if !slices.ContainsFunc(messages, same) {
			messages = append(messages, now)
		}
	}
	for _, event := range events {
		update, is := event.(*a2a.TaskStatusUpdateEvent)
		if is && update.Status.Message != nil {
			messages = append(messages, update.Status.Message)
		}
	}
	for _, message := range messages {
		number := text(message.Parts)
		if message.Role == a2a.MessageRoleAgent && strings.Contains(number, "/") {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// finished ends the case unless this is the reviewer's task at the end of the conversation.
func finished(texts texts.Reviewer, task *a2a.Task) {
	equal(task.Status.State, a2a.TaskStateCompleted)
	equal(said(task.Status), texts.Completed)
	var artifacts [][2]string
	for _, artifact := range task.Artifacts {
		artifacts = append(artifacts, [2]string{artifact.Name, text(artifact.Parts)})
	}
	equal(artifacts, [][2]string{{texts.Artifact, texts.Findings()}})
	wanted := []string{texts.Vague, texts.Question, texts.Answer}
	var history []string
	for _, message := range task.History {
		if text := text(message.Parts); slices.Contains(wanted, text) {
			history = append(history, text)
		}
	}
	equal(history, wanted)
}
