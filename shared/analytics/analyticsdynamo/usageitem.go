package analyticsdynamo

import (
	"portside/shared/analytics"
	"portside/shared/dynamo/items"
)

// usageItem is the form of a day's usage.
type usageItem struct {
	ChartBytes   *int64 `dynamodbav:"chartBytes"`
	MediaBytes   *int64 `dynamodbav:"mediaBytes"`
	Charts       int64  `dynamodbav:"charts"`
	Images       int64  `dynamodbav:"images"`
	Checks       int64  `dynamodbav:"checks"`
	ModelCalls   int64  `dynamodbav:"modelCalls"`
	InputTokens  int64  `dynamodbav:"inputTokens"`
	OutputTokens int64  `dynamodbav:"outputTokens"`
	MicroUSD     int64  `dynamodbav:"microUSD"`
}

func decodeUsage(item items.Map) (*analytics.Usage, error) {
	i, err := items.Decode[usageItem](item)
	if err != nil {
		return nil, err
	}
	used := &analytics.Usage{Charts: i.Charts, Images: i.Images, Checks: i.Checks, Models: analytics.ModelUsage{
		Calls: i.ModelCalls, InputTokens: i.InputTokens, OutputTokens: i.OutputTokens, MicroUSD: i.MicroUSD,
	}}
	if i.ChartBytes != nil && i.MediaBytes != nil {
		used.Storage = &analytics.StorageBytes{Charts: *i.ChartBytes, Media: *i.MediaBytes}
	}
	return used, nil
}
