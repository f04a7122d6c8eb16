package template

import (
	"strings"
	"unicode"
)

// physicalID returns the value of !Ref of a resource: the name that the template gives it, or one
// derived from the stack's name and the logical ID. It is the same on every start, so that data
// outlives a restart.
func (s *scope) physicalID(r *resource) (string, error) {
	switch r.naming {
	case done:
		return r.name, nil
	case running:
		return "", problem(r.line, "the name of %q refers to itself", r.id)
	}
	r.naming = running
	name, err := s.explicitName(r)
	if err != nil {
		return "", err
	}
	r.name, r.naming = orElse(name, s.defaultName(r)), done
	return r.name, nil
}

// explicitName returns the name that the template gives a resource, or "".
func (s *scope) explicitName(r *resource) (string, error) {
	property := map[string]string{
		functionType: "FunctionName", tableType: "TableName", bucketType: "BucketName",
		logsType: "LogGroupName", roleType: "RoleName", queueType: "QueueName",
	}[r.typ]
	source := r.source.get("Properties").get(property)
	if property == "" || source.kind == absent && source.fn == "" {
		return "", nil
	}
	value, err := s.eval(source)
	if err != nil {
		return "", err
	}
	return value.str(property)
}

func (s *scope) defaultName(r *resource) string {
	name := s.options.StackName + "-" + r.id
	switch r.typ {
	case apiType:
		return APIID
	case bucketType:
		return strings.ToLower(s.options.StackName) + "-" + kebab(r.id)
	case "AWS::SNS::Topic":
		return s.arn("sns", name)
	case secretType:
		return s.arn("secretsmanager", "secret:"+name)
	case queueType:
		return "https://sqs." + s.options.Region + "." + urlSuffix + "/" + s.options.AccountID + "/" + name
	}
	return name
}

// kebab turns ChartsBucket into charts-bucket, because bucket names have no capitals.
func kebab(id string) string {
	var out strings.Builder
	for i, c := range id {
		if i > 0 && unicode.IsUpper(c) && !unicode.IsUpper(rune(id[i-1])) {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(c))
	}
	return out.String()
}

func (s *scope) arn(service, rest string) string {
	return "arn:aws:" + service + ":" + s.options.Region + ":" + s.options.AccountID + ":" + rest
}

// attributeOf returns the value of !GetAtt, or "" if the local stack knows no such attribute.
func (s *scope) attributeOf(r *resource, attribute string) (string, error) {
	name, err := s.physicalID(r)
	if err != nil {
		return "", err
	}
	switch r.typ {
	case bucketType:
		return s.bucketAttribute(name, attribute), nil
	case apiType:
		return map[string]string{"ApiId": name, "ApiEndpoint": s.endpoint()}[attribute], nil
	case domainType:
		return map[string]string{"RegionalDomainName": "d-" + APIID + ".execute-api." + s.options.Region + "." + urlSuffix}[attribute], nil
	case queueType:
		return map[string]string{"QueueName": name, "Arn": s.resourceARN(r, name)}[attribute], nil
	case distributionType:
		return map[string]string{"DomainName": APIID + ".cloudfront.net", "Id": name}[attribute], nil
	case tableType:
		if attribute == "StreamArn" {
			return s.arn("dynamodb", "table/"+name+"/stream/local"), nil
		}
	}
	if attribute == "Arn" {
		return s.resourceARN(r, name), nil
	}
	return map[string]string{"Name": name, "Id": name}[attribute], nil
}

func (s *scope) endpoint() string {
	return "https://" + APIID + ".execute-api." + s.options.Region + "." + urlSuffix
}

func (s *scope) bucketAttribute(name, attribute string) string {
	region := s.options.Region
	return map[string]string{
		"Arn":                "arn:aws:s3:::" + name,
		"DomainName":         name + ".s3." + urlSuffix,
		"RegionalDomainName": name + ".s3." + region + "." + urlSuffix,
		"WebsiteURL":         "http://" + name + ".s3-website-" + region + "." + urlSuffix,
	}[attribute]
}

func (s *scope) resourceARN(r *resource, name string) string {
	switch r.typ {
	case functionType:
		return s.arn("lambda", "function:"+name)
	case tableType:
		return s.arn("dynamodb", "table/"+name)
	case logsType:
		return s.arn("logs", "log-group:"+name+":*")
	case roleType:
		return "arn:aws:iam::" + s.options.AccountID + ":role/" + name
	case queueType:
		return s.arn("sqs", name[strings.LastIndexByte(name, '/')+1:])
	}
	if strings.HasPrefix(name, "arn:") {
		return name
	}
	parts := strings.Split(strings.ToLower(r.typ), "::")
	if len(parts) < 3 {
		return ""
	}
	return s.arn(parts[1], parts[2]+"/"+name)
}
