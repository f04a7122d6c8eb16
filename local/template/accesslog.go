package template

import "strings"

func (b *builder) readAccessLog(p *node) error {
	if p.kind == absent {
		return nil
	}
	to, err := p.get("DestinationArn").required("the DestinationArn of AccessLogSettings")
	if err != nil {
		return err
	}
	line := p.get("DestinationArn").line
	group, isGroup := strings.CutPrefix(to, b.arn("logs", "log-group:"))
	if !isGroup {
		return problem(line, "the DestinationArn of AccessLogSettings must be the Arn of a log group; "+
			"use !GetAtt of an AWS::Logs::LogGroup")
	}
	group = strings.TrimSuffix(group, ":*")
	if err := b.checkLogGroup(group, line); err != nil {
		return err
	}
	format, err := p.get("Format").required("the Format of AccessLogSettings")
	if err != nil {
		return err
	}
	if !strings.Contains(format, "$context.requestId") && !strings.Contains(format, "$context.extendedRequestId") {
		return problem(p.get("Format").line, "the Format of AccessLogSettings has no $context.requestId, "+
			"which API Gateway requires; add it")
	}
	b.stack.AccessLog = &AccessLog{LogGroup: group, Format: strings.TrimSpace(format)}
	return nil
}
