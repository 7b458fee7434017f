// Command server is the contract reviewer on Go's a2a-go, for our client to talk to in A2A 0.3.
//
// It says what reviewer.json holds, and knows the words `ticks K`, `msg X` and `parts`, as
// py03/server.py does. Prints "Listening on URL" once it can be called.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/push"
	"google.golang.org/grpc"
	"interop/texts"
)

func main() {
	log.Fatal(serve(texts.ReadReviewer()))
}

func serve(texts texts.Reviewer) error {
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	rpc, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	webhooks := a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil))
	handler := a2asrv.NewHandler(&reviewer{texts}, webhooks)
	url := "http://" + web.Addr().String()
	card := card(texts.Name, url, rpc.Addr().String())
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/{$}", a2asrv.NewJSONRPCHandler(handler))
	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	// The sockets listen already: who calls now is answered as soon as the servers run.
	fmt.Println("Listening on", url)
	ended := make(chan error)
	go func() { ended <- server.Serve(rpc) }()
	go func() { ended <- http.Serve(web, mux) }()
	return <-ended
}

func card(name, url, grpcTarget string) *a2a.AgentCard {
	modes := []string{"text/plain", "application/json", "application/octet-stream"}
	return &a2a.AgentCard{
		ProtocolVersion:    "0.3.0",
		Name:               name,
		Description:        "Reviews contracts.",
		Version:            "1.0.0",
		URL:                url + "/",
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		AdditionalInterfaces: []a2a.AgentInterface{
			{Transport: a2a.TransportProtocolGRPC, URL: grpcTarget},
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		DefaultInputModes:  modes,
		DefaultOutputModes: modes,
		Skills: []a2a.AgentSkill{{
			ID:          "risk-review",
			Name:        "Contract risk review",
			Description: "Lists risks.",
			Tags:        []string{"legal"},
		}},
	}
}
