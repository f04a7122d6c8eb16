package client_test

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"

	"portside/client"
)

// The blocks of docs/client.md are the bodies of these examples.

func Example() {
	c, err := client.New("https://portal.example.com", os.Getenv("PORTSIDE_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	user, err := c.CreateUser(context.Background(), client.CreateUserJSONBody{
		Email:      "ada@example.com",
		Name:       "Ada Lovelace",
		Role:       client.CreateUserJSONBodyRoleManager,
		Department: new("Analytical Engines"),
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Println(user.ID, user.Status)
}

func ExampleClient_AllUsers() {
	c, ctx := exampleClient()
	managers := &client.ListUsersParams{Role: new(client.ListUsersParamsRoleManager), Limit: new(int64(100))}
	for user, err := range c.AllUsers(ctx, managers) {
		if err != nil {
			log.Fatal(err)
		}
		log.Println(user.Email)
	}
}

func ExampleError() {
	c, ctx := exampleClient()
	user, err := c.GetUser(ctx, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11")
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == client.ProblemCodeNOTFOUND {
		log.Println("no user has this ID")
	} else if err != nil {
		log.Fatal(err) // such as: portside: GET /v1/users/…: 403 Forbidden (FORBIDDEN): … [request 0HN4bRs0oAMEJ1w=]
	} else {
		log.Println(user.Name)
	}
}

func ExampleIdempotencyKey() {
	c, ctx := exampleClient()
	project := client.CreateProjectJSONBody{Name: "Difference Engine"}
	_, err := c.CreateProject(ctx, project, client.IdempotencyKey("import-2026-03-02-row-7"))
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleIfMatch() {
	c, ctx := exampleClient()
	var header http.Header
	user, err := c.GetUser(ctx, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11", client.SaveHeader(&header))
	if err != nil {
		log.Fatal(err)
	}
	change := client.UpdateUserJSONBody{Name: new(user.Name + ", Countess of Lovelace")}
	_, err = c.UpdateUser(ctx, user.ID, change, client.IfMatch(header.Get("ETag")))
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleForm() {
	c, ctx := exampleClient()
	content, err := os.ReadFile("report.pdf")
	if err != nil {
		log.Fatal(err)
	}
	form := &client.Form{}
	form.SetFile("file", "report.pdf", content)
	form.Set("length", "short")
	answer, err := c.SummarizeMedia(ctx, nil, form)
	if started, ok := errors.AsType[*client.JobStartedError](err); ok {
		log.Println("get the answer later with GetJob:", started.JobID)
	} else if err != nil {
		log.Fatal(err)
	} else {
		log.Println(answer.Summary)
	}
}

func exampleClient() (*client.Client, context.Context) {
	c, err := client.New("https://portal.example.com", "")
	if err != nil {
		log.Fatal(err)
	}
	return c, context.Background()
}
