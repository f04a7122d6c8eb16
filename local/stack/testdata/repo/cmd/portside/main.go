// Command portside replaces the operator's command in tests: bootstrap writes the name of the table
// into the key file, unless the file exists, and sign-in-link prints a link.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) == 6 && os.Args[1] == "sign-in-link" && os.Args[4] == "--base-url" {
		fmt.Println(os.Args[5] + "/portal/sign-in#token")
		return
	}
	if err := bootstrap(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bootstrap(args []string) error {
	if len(args) != 7 || args[0] != "bootstrap" || args[5] != "--key-file" {
		return fmt.Errorf("unexpected arguments: %q", args)
	}
	table := os.Getenv("NOTES_TABLE")
	if table == "" || os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") == "" || os.Getenv("AWS_REGION") == "" {
		return fmt.Errorf("a variable is missing: %q", os.Environ())
	}
	file, err := os.OpenFile(args[6], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(file, "key of "+table); err != nil {
		return err
	}
	return file.Close()
}
