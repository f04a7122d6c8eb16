package credentialnotices

import (
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

const timeLayout = "2 January 2006, 15:04 UTC"

// message returns the mail. maker is zero if the user who created the credential is unknown.
func message(n credentials.Notice, owner, maker principal.Person) mail.Message {
	content := mail.Content{To: owner.Email, Name: owner.Name}
	if n.BaseURL != "" {
		content.Button = button(n)
	}
	at, what := n.At.UTC().Format(timeLayout), nameOf(n)
	switch n.Event {
	case credentials.EventMade:
		content.Subject = "Another user created an API key for you"
		content.Body = []string{describe(maker) + " created " + what + " for your account on " + at + ".",
			"A person who has this key can act as you."}
		content.Notes = []string{"If you did not expect this, delete the key on your account page and tell another administrator."}
	case credentials.EventLeaked:
		content.Subject = "A credential of yours was reported as leaked"
		content.Body = []string{"Somebody who has " + what + " reported it as leaked on " + at + ". It no longer works.",
			"The keys, tokens and passwords that were created with it end, too."}
		content.Notes = []string{"Create a new credential where you need one. Check what was done with the old one, and where it was stored."}
	default:
		content.Subject = "A credential of yours has ended"
		content.Body = []string{"On " + at + ", " + what + " ended. Another user's credential, with which it was created, has ended " +
			"together with everything that was created with it, for example because it had leaked."}
		content.Notes = []string{"Create a new credential where you need one."}
	}
	return content.Message()
}

func button(n credentials.Notice) mail.Button {
	if n.Kind == credentials.AccessToken || n.Kind == credentials.Password {
		return mail.Button{Label: "View your tokens", Address: n.BaseURL + "/portal/access"}
	}
	return mail.Button{Label: "View your account", Address: n.BaseURL + "/portal/account"}
}

func describe(maker principal.Person) string {
	if maker.ID == "" {
		return "A user who was deleted since"
	}
	return maker.Name + " (" + maker.Email + ")"
}

// nameOf returns how mails name a credential: its kind, its name and its public id.
func nameOf(n credentials.Notice) string {
	kinds := map[credentials.Kind]string{
		credentials.APIKey: "the API key", credentials.AccessToken: "the access token", credentials.Password: "the password",
		credentials.Session: "the session", credentials.Link: "the link",
	}
	text := kinds[n.Kind]
	if n.Name != "" && n.Kind != credentials.Link {
		text += " \u201c" + n.Name + "\u201d"
	}
	return text + " (" + n.ID + ")"
}
