package main

import (
	"context"
	"iter"
	"log"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// agent is called on one binding.
type agent struct {
	*a2aclient.Client
	card *a2a.AgentCard
}

// connect reads the card, and takes its interface of this binding. Without, there is nothing to run.
func connect(binding, url string) *agent {
	ctx := context.Background()
	card, err := agentcard.DefaultResolver.Resolve(ctx, url)
	if err != nil {
		log.Fatalf("%s: %v", url, err)
	}
	transport := a2aclient.WithJSONRPCTransport(nil)
	if binding == string(a2a.TransportProtocolGRPC) {
		plain := grpc.WithTransportCredentials(insecure.NewCredentials())
		transport = a2aclient.WithGRPCTransport(plain)
	}
	client, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), transport)
	if err != nil {
		log.Fatalf("%s on %s: %v", url, binding, err)
	}
	return &agent{client, card}
}

// send sends a message, and waits for the task or the message that answers it.
func (a *agent) send(ctx context.Context, message *a2a.Message) (a2a.SendMessageResult, error) {
	return a.SendMessage(ctx, &a2a.MessageSendParams{Message: message})
}

// task is as send, where a task answers.
func (a *agent) task(ctx context.Context, message *a2a.Message) *a2a.Task {
	return a.configured(ctx, message, nil)
}

// start starts a task, and returns it at once.
func (a *agent) start(ctx context.Context, text string) *a2a.Task {
	return a.configured(ctx, user(text), &a2a.MessageSendConfig{Blocking: new(bool)})
}

func (a *agent) configured(
	ctx context.Context, message *a2a.Message, config *a2a.MessageSendConfig,
) *a2a.Task {
	params := &a2a.MessageSendParams{Message: message, Config: config}
	answer := must(a.SendMessage(ctx, params))
	task, is := answer.(*a2a.Task)
	if !is {
		fail("%#v, wanted a task", answer)
	}
	return task
}

func (a *agent) stream(ctx context.Context, message *a2a.Message) iter.Seq2[a2a.Event, error] {
	return a.SendStreamingMessage(ctx, &a2a.MessageSendParams{Message: message})
}

func (a *agent) subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return a.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: id})
}

func (a *agent) get(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return a.GetTask(ctx, &a2a.TaskQueryParams{ID: id})
}

func (a *agent) cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return a.CancelTask(ctx, &a2a.TaskIDParams{ID: id})
}

// user is a message of the user's.
func user(text string, parts ...a2a.Part) *a2a.Message {
	parts = append([]a2a.Part{a2a.TextPart{Text: text}}, parts...)
	return a2a.NewMessage(a2a.MessageRoleUser, parts...)
}

// to is a message of the user's to a task; of its context the agent knows.
func to(task *a2a.Task, text string) *a2a.Message {
	message := user(text)
	message.TaskID = task.ID
	return message
}

// all is what a stream says until it ends or fails.
func all(stream iter.Seq2[a2a.Event, error]) (events []a2a.Event, err error) {
	for event, err := range stream {
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
	return events, nil
}
