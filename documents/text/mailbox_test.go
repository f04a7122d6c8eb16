package text_test

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/kind"
	"portside/documents/text"
)

const secondMail = "From b@example.com Tue Mar  3 10:00:00 2026\nFrom: b@example.com\nTo: a@example.com\nSubject: Re: Quay\n" +
	"Date: Tue, 3 Mar 2026 10:00:00 +0000\n\nYes.\nFrom here it is near.\n\nFrom Monday 10:00 on, too.\n"

// TestMailboxes checks that each mail of a mailbox has its own headers.
func TestMailboxes(t *testing.T) {
	first := "From a@example.com Mon Mar  2 09:00:00 2026\nFrom: a@example.com\nSubject: Quay\nDate: Mon, 2 Mar 2026 09:00:00 +0000\n" +
		"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nIs it near?\n--x\nContent-Type: application/pdf; name=map.pdf\n\nx\n--x--\n\n"
	for name, file := range map[string]string{
		"lines": first + secondMail, "lines of Windows": strings.ReplaceAll(first+secondMail, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if format, err := kind.Detect(t.Context(), source(file), documents.DefaultLimits()); err != nil || format != documents.Mail {
				t.Errorf("detected %q, %v", format, err)
			}
			d, err := document(t, text.ReadMail, file)
			want := "From\ta@example.com\nDate\tMon, 2 Mar 2026 09:00:00 +0000\nSubject\tQuay\nIs it near?\nFrom\tb@example.com\n" +
				"To\ta@example.com\nDate\tTue, 3 Mar 2026 10:00:00 +0000\nSubject\tRe: Quay\nYes.\nFrom here it is near.\nFrom Monday 10:00 on, too."
			if err != nil || d.Text() != want || d.Title != "Quay" {
				t.Errorf("got %q with the title %q, %v", d.Text(), d.Title, err)
			}
			if got := strings.Join(d.Warnings, " "); got != `The attachment "map.pdf" was not read; send it by itself.` {
				t.Errorf("warnings: %q", got)
			}
		})
	}
}

func TestMailWithALineOfAMailboxIsOneMail(t *testing.T) {
	d, err := document(t, text.ReadMail, "From: a@example.com\nSubject: Quay\nDate: today\n\nI quote:\n\n"+secondMail)
	if err != nil || strings.Count(d.Text(), "\t") != 3 {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}

func TestMailsOfMailboxAreLimited(t *testing.T) {
	var file strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&file, "From a@example.com Mon Mar  2 09:00:00 2026\nFrom: a@example.com\nSubject: %d\n\ntext\n\n", i)
	}
	d, err := document(t, text.ReadMail, file.String())
	if err != nil || len(d.Blocks) > 3*1002 || strings.Join(d.Warnings, " ") != "The file has more mails than can be read." {
		t.Errorf("%d blocks, %q, %v", len(d.Blocks), d.Warnings, err)
	}
}
