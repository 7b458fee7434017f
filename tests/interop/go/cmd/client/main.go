// Command client calls agents that serve A2A 0.3 with Go's a2a-go, on one binding.
//
//	client BINDING REVIEWER PUPPET
//
// BINDING is JSONRPC or GRPC; the rest is as in py03/client.py.
package main

import (
	"log"
	"os"

	"interop/texts"
)

// agents are the two that the cases call.
type agents struct {
	binding  string
	texts    texts.Reviewer
	reviewer *agent
	puppet   *agent
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("the arguments are: BINDING REVIEWER PUPPET")
	}
	binding := os.Args[1]
	all := &agents{
		binding:  binding,
		texts:    texts.ReadReviewer(),
		reviewer: connect(binding, os.Args[2]),
		puppet:   connect(binding, os.Args[3]),
	}
	run(all, []testCase{
		{"card", card},
		{"conversation", conversation},
		{"conversation, streaming", conversationStreaming},
		{"direct message", directMessage},
		{"files and data", filesAndData},
		{"get", get},
		{"polling", polling},
		{"resubscribe", resubscribe},
		{"cancel a waiting task", cancelAWaitingTask},
		{"cancel a running task", cancelARunningTask},
		{"push configs", pushConfigs},
		{"push, new task", pushOfANewTask},
		{"push, waiting task", pushOfAWaitingTask},
		{"errors, unknown task", unknownTask},
		{"errors, finished task", finishedTask},
	})
}
