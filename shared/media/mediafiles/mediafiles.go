// Package mediafiles is the set of all readers, each with the format that it reads. What reads files imports this and no
// reader by itself, so that every function reads the same.
package mediafiles

import (
	"context"

	"portside/shared/media"
	"portside/shared/media/mediakind"
	"portside/shared/media/mediaoffice"
	"portside/shared/media/mediapdf"
	"portside/shared/media/mediapicture"
	"portside/shared/media/mediatext"
)

// Readers are the readers by format.
func Readers() map[media.Format]media.Reader {
	return map[media.Format]media.Reader{
		media.PlainText: mediatext.ReadText, // subtitles too
		media.Markdown:  mediatext.ReadMarkdown,
		media.HTML:      mediatext.ReadHTML,
		media.CSV:       mediatext.ReadCSV,
		media.JSON:      mediatext.ReadJSON,
		media.XML:       mediatext.ReadXML,
		media.RTF:       mediatext.ReadRTF,
		media.Mail:      mediatext.ReadMail,
		media.PDF:       mediapdf.Read,
		media.DOCX:      mediaoffice.ReadDOCX,
		media.PPTX:      mediaoffice.ReadPPTX,
		media.XLSX:      mediaoffice.ReadXLSX,
		media.ODT:       mediaoffice.ReadODT,
		media.ODS:       mediaoffice.ReadODS,
		media.ODP:       mediaoffice.ReadODP,
		media.EPUB:      mediaoffice.ReadEPUB,
		media.Image:     mediapicture.Read,
	}
}

// Detect tells the format of a file within the limits.
func Detect(limits media.Limits) func(context.Context, media.Source) (media.Format, error) {
	return func(ctx context.Context, file media.Source) (media.Format, error) {
		return mediakind.Detect(ctx, file, limits)
	}
}
