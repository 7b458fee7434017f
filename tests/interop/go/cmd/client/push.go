package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
)

func pushConfigs(ctx context.Context, agents *agents) {
	puppet := agents.puppet
	task := puppet.task(ctx, user("ask"))
	wanted := webhook("http://127.0.0.1:9/hook")
	config := &a2a.TaskPushConfig{TaskID: task.ID, Config: *wanted}
	kept := must(puppet.SetTaskPushConfig(ctx, config))
	equal(told(kept), told(config))
	named := &a2a.GetTaskPushConfigParams{TaskID: task.ID, ConfigID: wanted.ID}
	equal(told(must(puppet.GetTaskPushConfig(ctx, named))), told(config))
	equal(listed(ctx, puppet, task), []string{wanted.ID})
	gone := &a2a.DeleteTaskPushConfigParams{TaskID: task.ID, ConfigID: wanted.ID}
	must(0, puppet.DeleteTaskPushConfig(ctx, gone))
	equal(listed(ctx, puppet, task), []string{})
}

func pushOfANewTask(ctx context.Context, agents *agents) {
	receiver := startReceiver()
	defer receiver.Close()
	config := &a2a.MessageSendConfig{PushConfig: webhook(receiver.URL)}
	receiver.delivered(ctx, agents.puppet.configured(ctx, user("ticks 3"), config))
}

func pushOfAWaitingTask(ctx context.Context, agents *agents) {
	receiver := startReceiver()
	defer receiver.Close()
	task := agents.puppet.task(ctx, user("ask"))
	config := &a2a.TaskPushConfig{TaskID: task.ID, Config: *webhook(receiver.URL)}
	must(agents.puppet.SetTaskPushConfig(ctx, config))
	agents.puppet.task(ctx, to(task, "ticks 3"))
	receiver.delivered(ctx, task)
}

func webhook(url string) *a2a.PushConfig {
	auth := &a2a.PushAuthInfo{Schemes: []string{"Bearer"}, Credentials: "a credential"}
	return &a2a.PushConfig{ID: "mine", URL: url, Token: "a token", Auth: auth}
}

// told is what an agent tells of a push config; it may keep the credentials to itself.
func told(config *a2a.TaskPushConfig) []string {
	kept := config.Config
	return append([]string{string(config.TaskID), kept.ID, kept.URL}, kept.Auth.Schemes...)
}

func listed(ctx context.Context, agent *agent, task *a2a.Task) []string {
	ids := []string{}
	params := &a2a.ListTaskPushConfigParams{TaskID: task.ID}
	for _, config := range must(agent.ListTaskPushConfig(ctx, params)) {
		ids = append(ids, config.Config.ID)
	}
	return ids
}

// delivery is one call of a webhook.
type delivery struct {
	headers http.Header
	task    a2a.Task
	err     error
}

// receiver is a webhook that keeps what it is told.
type receiver struct {
	*httptest.Server
	deliveries chan delivery
}

func startReceiver() receiver {
	// More than there will be, so that none waits for the case.
	deliveries := make(chan delivery, 100)
	keep := func(response http.ResponseWriter, request *http.Request) {
		told := delivery{headers: request.Header}
		told.err = json.NewDecoder(request.Body).Decode(&told.task)
		// Kept before it is answered: the next delivery may begin with the answer.
		deliveries <- told
		response.WriteHeader(http.StatusNoContent)
	}
	return receiver{httptest.NewServer(http.HandlerFunc(keep)), deliveries}
}

// delivered ends the case unless what comes is what `ticks 3` tells of this task: each status once,
// in their order, and all with what proves the caller.
func (r receiver) delivered(ctx context.Context, task *a2a.Task) {
	var numbers []string
	for {
		var told delivery
		select {
		case told = <-r.deliveries:
		case <-ctx.Done():
			fail("nothing more after %v", numbers)
		}
		must(0, told.err)
		equal(told.task.ID, task.ID)
		equal(told.headers.Get("X-A2A-Notification-Token"), "a token")
		equal(told.headers.Get("Authorization"), "Bearer a credential")
		if number := said(told.task.Status); strings.Contains(number, "/") {
			numbers = append(numbers, number)
		}
		if told.task.Status.State.Terminal() {
			break
		}
	}
	equal(numbers, []string{"1/3", "2/3", "3/3"})
}
