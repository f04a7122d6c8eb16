package template

import (
	"slices"
	"strings"
)

// place is a map of the template whose keys are known.
type place struct {
	called string // as a message calls it
	keys   string // apart by spaces; "*" is any
}

// vocabulary holds every map that this package reads. A key that nobody reads is as good as left out, and what was
// meant by it shows only after the deployment, or not at all; so what is not here is refused. The names are SAM's and
// CloudFormation's, also those without a meaning on this machine. The place of a value is that of its map with the
// key after a dot, or with * where any key may stand; that of Properties is the
// Type beside it.
var vocabulary = map[string]place{
	"": {"a template", "Parameters Mappings Conditions Globals Resources Outputs " +
		"AWSTemplateFormatVersion Transform Description Metadata Rules"},
	".Parameters": {"Parameters", "*"},
	".Parameters.*": {"a parameter", "Type Default Description AllowedPattern AllowedValues ConstraintDescription " +
		"MaxLength MaxValue MinLength MinValue NoEcho"},
	".Rules":              {"Rules", "*"},
	".Rules.*":            {"a rule", "RuleCondition Assertions"},
	".Rules.*.Assertions": {"an assertion", "Assert AssertDescription"},
	".Globals":            {"Globals", "Api CapacityProvider Function HttpApi LayerVersion SimpleTable StateMachine WebSocketApi"},
	".Globals.Function": {"Globals of functions", "Architectures AssumeRolePolicyDocument AutoPublishAlias " +
		"AutoPublishAliasAllProperties CapacityProviderConfig CodeSigningConfigArn CodeUri DeadLetterQueue " +
		"DeploymentPreference Description DurableConfig Environment EphemeralStorage EventInvokeConfig FileSystemConfigs " +
		"FunctionScalingConfig FunctionUrlConfig Handler KmsKeyArn Layers LoggingConfig MemorySize PermissionsBoundary " +
		"PropagateTags ProvisionedConcurrencyConfig PublishToLatestPublished RecursiveLoop ReservedConcurrentExecutions " +
		"RolePath Runtime RuntimeManagementConfig SnapStart SourceKMSKeyArn Tags TenancyConfig Timeout Tracing " +
		"VersionDeletionPolicy VpcConfig"},
	".Globals.Function.Environment": {"Environment", "Variables"},
	".Globals.HttpApi": {"Globals of HTTP APIs", "AccessLogSettings Auth CorsConfiguration DefaultRouteSettings Domain " +
		"FailOnWarnings PropagateTags RouteSettings StageVariables Tags"},
	".Globals.HttpApi.CorsConfiguration": cors,
	".Globals.HttpApi.AccessLogSettings": accessLogSettings,
	".Resources":                         {"Resources", "*"},
	".Resources.*": {"a resource", "Type Properties Condition Connectors CreationPolicy DeletionPolicy DependsOn " +
		"IgnoreGlobals Metadata UpdatePolicy UpdateReplacePolicy"},
	".Outputs":   {"Outputs", "*"},
	".Outputs.*": {"an output", "Value Description Condition Export"},

	functionType: {functionType, "Architectures AssumeRolePolicyDocument AutoPublishAlias AutoPublishAliasAllProperties " +
		"CapacityProviderConfig CodeSigningConfigArn CodeUri DeadLetterQueue DeploymentPreference Description " +
		"DurableConfig Environment EphemeralStorage EventInvokeConfig Events FileSystemConfigs FunctionName " +
		"FunctionScalingConfig FunctionUrlConfig Handler ImageConfig ImageUri InlineCode KmsKeyArn Layers LoggingConfig " +
		"MemorySize PackageType PermissionsBoundary Policies PropagateTags ProvisionedConcurrencyConfig " +
		"PublishToLatestPublished RecursiveLoop ReservedConcurrentExecutions Role RolePath Runtime " +
		"RuntimeManagementConfig SnapStart SourceKMSKeyArn Tags TenancyConfig Timeout Tracing VersionDeletionPolicy " +
		"VersionDescription VpcConfig"},
	functionType + ".Environment": {"Environment", "Variables"},
	functionType + ".Events":      {"Events", "*"},
	functionType + ".Events.*":    {"an event", "Type Properties"},
	"event HttpApi":               {"an HttpApi event", "ApiId Auth Method Path PayloadFormatVersion RouteSettings Stage TimeoutInMillis"},
	"event Schedule": {"a Schedule event", "DeadLetterConfig Description Enabled Input Name RetryPolicy RuleName " +
		"Schedule State"},
	"event ScheduleV2": {"a ScheduleV2 event", "DeadLetterConfig Description EndDate FlexibleTimeWindow GroupName Input " +
		"KmsKeyArn Name OmitName PermissionsBoundary RetryPolicy RoleArn ScheduleExpression ScheduleExpressionTimezone " +
		"StartDate State"},
	"event S3":                    {"an S3 event", "Bucket Events Filter"},
	"event S3.Filter":             {"the Filter of an S3 event", "S3Key"},
	"event S3.Filter.S3Key":       {"the S3Key of an S3 event", "Rules"},
	"event S3.Filter.S3Key.Rules": {"a rule of an S3 event", "Name Value"},
	"event CloudWatchLogs":        {"a CloudWatchLogs event", "FilterPattern LogGroupName"},

	apiType: {apiType, "AccessLogSettings Auth CorsConfiguration DefaultRouteSettings DefinitionBody DefinitionUri " +
		"Description DisableExecuteApiEndpoint Domain FailOnWarnings Name PropagateTags RouteSettings StageName " +
		"StageVariables Tags"},
	apiType + ".CorsConfiguration": cors,
	apiType + ".AccessLogSettings": accessLogSettings,

	tableType: {tableType, "AttributeDefinitions BillingMode ContributorInsightsSpecification " +
		"DeletionProtectionEnabled GlobalSecondaryIndexes ImportSourceSpecification KeySchema " +
		"KinesisStreamSpecification LocalSecondaryIndexes OnDemandThroughput PointInTimeRecoverySpecification " +
		"ProvisionedThroughput ResourcePolicy SSESpecification StreamSpecification TableClass TableName Tags " +
		"TimeToLiveSpecification WarmThroughput"},
	tableType + ".AttributeDefinitions": {"an attribute definition", "AttributeName AttributeType"},
	tableType + ".KeySchema":            keySchema,
	tableType + ".GlobalSecondaryIndexes": {"a global index", "ContributorInsightsSpecification IndexName KeySchema " +
		"OnDemandThroughput Projection ProvisionedThroughput WarmThroughput"},
	tableType + ".GlobalSecondaryIndexes.KeySchema":  keySchema,
	tableType + ".GlobalSecondaryIndexes.Projection": projection,
	tableType + ".LocalSecondaryIndexes":             {"a local index", "IndexName KeySchema Projection"},
	tableType + ".LocalSecondaryIndexes.KeySchema":   keySchema,
	tableType + ".LocalSecondaryIndexes.Projection":  projection,
	tableType + ".TimeToLiveSpecification":           {"TimeToLiveSpecification", "AttributeName Enabled"},

	bucketType: {bucketType, "AbacStatus AccelerateConfiguration AccessControl AnalyticsConfigurations BucketEncryption " +
		"BucketName BucketNamePrefix BucketNamespace CorsConfiguration IntelligentTieringConfigurations " +
		"InventoryConfigurations LifecycleConfiguration LoggingConfiguration MetadataConfiguration " +
		"MetadataTableConfiguration MetricsConfigurations NotificationConfiguration ObjectLockConfiguration " +
		"ObjectLockEnabled OwnershipControls PublicAccessBlockConfiguration ReplicationConfiguration Tags " +
		"VersioningConfiguration WebsiteConfiguration"},
}

var (
	cors = place{"CorsConfiguration", "AllowCredentials AllowHeaders AllowMethods AllowOrigins ExposeHeaders MaxAge"}

	accessLogSettings = place{"AccessLogSettings", "DestinationArn Format"}

	keySchema  = place{"a key of a KeySchema", "AttributeName KeyType"}
	projection = place{"a Projection", "NonKeyAttributes ProjectionType"}
)

// checkKeys refuses unknown keys in n and below. It looks at the template before its evaluation, so that
// what a condition switches off is checked too.
func checkKeys(n *node, at string) error {
	known, ok := vocabulary[at]
	if !ok {
		return nil
	}
	for _, part := range n.parts() {
		if err := checkKeys(part, at); err != nil {
			return err
		}
	}
	for _, f := range n.fields {
		if err := known.check(f); err != nil {
			return err
		}
		if err := checkKeys(f.value, known.below(at, n, f.key)); err != nil {
			return err
		}
	}
	return nil
}

// parts are the maps that stand for n: the entries of a list, or the branches of an !If.
func (n *node) parts() []*node {
	if n.fn == "If" && len(n.arg.items) == 3 {
		return n.arg.items[1:]
	}
	return n.items
}

// below is the place of the value of key in n, which is at the place given.
func (p place) below(at string, n *node, key string) string {
	switch {
	case p.keys == "*":
		return at + ".*"
	case key != "Properties" || n.get("Type").text == "":
		return at + "." + key
	case at == functionType+".Events.*":
		return "event " + n.get("Type").text
	}
	return n.get("Type").text
}

func (p place) check(f field) error {
	keys := strings.Fields(p.keys)
	if p.keys == "*" || slices.Contains(keys, f.key) {
		return nil
	}
	return problem(f.line, "there is no %q in %s; %s", f.key, p.called, meant(f.key, keys))
}

// manyKeys are too many to be told in one line.
const manyKeys = 12

// meant says which of the names was perhaps meant.
func meant(name string, names []string) string {
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) > manyKeys {
		return "check how it is spelt"
	}
	return "use one of " + strings.Join(names, ", ")
}

func nearest(name string, names []string) string {
	for _, other := range names {
		if strings.EqualFold(other, name) || nearly(other, name) {
			return other
		}
	}
	return ""
}

// nearly is true when one edit turns a into b: a letter more, less or another, or two that changed places.
func nearly(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return i < len(a) && (a[i+1:] == b[i+1:] || swapped(a[i:], b[i:]))
}

func swapped(a, b string) bool {
	return len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// checkType refuses what SAM does not have, and what is nearly a type that the local stack makes something of:
// other types of CloudFormation are many, and only referred to.
func checkType(typ *node) error {
	if slices.Contains(madeTypes[:], typ.text) || slices.Contains(otherSAMTypes[:], typ.text) {
		return nil
	}
	if near := nearest(typ.text, slices.Concat(madeTypes[:], otherSAMTypes[:])); near != "" {
		return problem(typ.line, "there is no resource type %q; did you mean %s?", typ.text, near)
	}
	if strings.HasPrefix(typ.text, "AWS::Serverless::") {
		return problem(typ.line, "SAM has no resource type %q; the local stack runs %s and %s", typ.text, functionType, apiType)
	}
	return nil
}

var madeTypes = [...]string{functionType, apiType, tableType, bucketType, logsType, roleType}

var otherSAMTypes = [...]string{
	"AWS::Serverless::Api", "AWS::Serverless::Application", "AWS::Serverless::CapacityProvider",
	"AWS::Serverless::Connector", "AWS::Serverless::GraphQLApi", "AWS::Serverless::LayerVersion",
	"AWS::Serverless::SimpleTable", "AWS::Serverless::StateMachine", "AWS::Serverless::WebSocketApi",
}
