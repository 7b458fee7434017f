// Package texts reads what is said and sent, from the files that all kits read.
package texts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
)

// Reviewer is what the reviewer and its caller say: reviewer.json.
type Reviewer struct {
	Name      string   `json:"name"`
	Vague     string   `json:"vague"`
	Question  string   `json:"question"`
	Answer    string   `json:"answer"`
	Working   string   `json:"working"`
	Artifact  string   `json:"artifact"`
	Lines     []string `json:"findings"`
	Completed string   `json:"completed"`
}

// Findings is what is found in the contract that the caller's answer names.
func (r Reviewer) Findings() string {
	return strings.Join(r.Lines, "\n")
}

// ReadReviewer reads reviewer.json.
func ReadReviewer() Reviewer {
	return read[Reviewer]("reviewer.json")
}

// ReadParts reads the files and data that go there and back, in the form of A2A 0.3: parts.json.
func ReadParts() a2a.ContentParts {
	type versions struct {
		Parts a2a.ContentParts `json:"0.3"`
	}
	return read[versions]("parts.json").Parts
}

// read reads a file of the suite, which stands beside the folder of this kit.
func read[T any](name string) (value T) {
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(here), "..", "..", name)
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		panic(path + ": " + err.Error())
	}
	return value
}
