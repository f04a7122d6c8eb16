package mediabedrock

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
)

const (
	wholePDF     = "application/pdf"
	documentName = "document" // the model reads it, so it is always the same and never a stranger's
)

// shown are the blocks of what the model is to look at.
func shown(pictures []documents.Picture) []types.ContentBlock {
	var blocks []types.ContentBlock
	for _, p := range pictures {
		blocks = append(blocks, block(p))
	}
	return blocks
}

func block(p documents.Picture) types.ContentBlock {
	if p.MediaType == wholePDF {
		return &types.ContentBlockMemberDocument{Value: types.DocumentBlock{
			Name: aws.String(documentName), Format: types.DocumentFormatPdf, Source: &types.DocumentSourceMemberBytes{Value: p.Data},
		}}
	}
	return &types.ContentBlockMemberImage{Value: types.ImageBlock{
		Format: types.ImageFormat(strings.TrimPrefix(p.MediaType, "image/")), Source: &types.ImageSourceMemberBytes{Value: p.Data},
	}}
}

// unseen says that a refusal is about the picture, where it is.
func unseen(err error) error {
	r, refused := errors.AsType[*refusal](err)
	if refused && fault.As(err) == nil && r.code == "ValidationException" && mediaprompt.AboutPicture(r.message) {
		return fmt.Errorf("%w (%w)", documents.ErrDamaged, r)
	}
	return err
}
