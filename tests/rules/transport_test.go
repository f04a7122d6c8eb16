package rules_test

import (
	"os"
	"strings"
	"testing"
)

// cachingDisabled is the ID of CloudFront's policy that caches nothing.
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"

// cacheBehavior is how CloudFront treats requests to some paths.
type cacheBehavior struct {
	PathPattern          string `yaml:"PathPattern"`
	ViewerProtocolPolicy string `yaml:"ViewerProtocolPolicy"`
	CachePolicyID        string `yaml:"CachePolicyId"`
}

// TestTransportIsEncrypted reads the entrances of template.yaml: the domain of the API and the distribution.
//
//proves:docs/security.md
func TestTransportIsEncrypted(t *testing.T) {
	var domain struct {
		DomainNameConfigurations []struct {
			SecurityPolicy string `yaml:"SecurityPolicy"`
		} `yaml:"DomainNameConfigurations"`
	}
	readProperties(t, "ApiDomain", &domain)
	if all := domain.DomainNameConfigurations; len(all) != 1 || all[0].SecurityPolicy != "TLS_1_2" {
		t.Errorf("the domain accepts %+v, want TLS 1.2 or newer", all)
	}
	var distribution struct {
		DistributionConfig struct {
			ViewerCertificate struct {
				MinimumProtocolVersion string `yaml:"MinimumProtocolVersion"`
			} `yaml:"ViewerCertificate"`
			Origins []struct {
				CustomOriginConfig struct {
					OriginProtocolPolicy string   `yaml:"OriginProtocolPolicy"`
					OriginSSLProtocols   []string `yaml:"OriginSSLProtocols"`
				} `yaml:"CustomOriginConfig"`
			} `yaml:"Origins"`
			DefaultCacheBehavior cacheBehavior   `yaml:"DefaultCacheBehavior"`
			CacheBehaviors       []cacheBehavior `yaml:"CacheBehaviors"`
		} `yaml:"DistributionConfig"`
	}
	readProperties(t, "Distribution", &distribution)
	config := distribution.DistributionConfig
	if got := config.ViewerCertificate.MinimumProtocolVersion; got != "TLSv1.2_2021" {
		t.Errorf("the distribution accepts %s, want TLSv1.2_2021", got)
	}
	for _, origin := range config.Origins {
		if got := origin.CustomOriginConfig; got.OriginProtocolPolicy != "https-only" ||
			strings.Join(got.OriginSSLProtocols, " ") != "TLSv1.2" {
			t.Errorf("the distribution connects to the API with %+v", got)
		}
	}
	checkBehaviors(t, append(config.CacheBehaviors, config.DefaultCacheBehavior))
}

// checkBehaviors reports paths of programs that redirect from HTTP, and paths with personal answers that are cached.
func checkBehaviors(t *testing.T, behaviors []cacheBehavior) {
	t.Helper()
	for _, b := range behaviors {
		want := "https-only"
		if b.PathPattern == "/" || strings.HasPrefix(b.PathPattern, "/portal") {
			want = "redirect-to-https" // people type addresses of pages
		}
		if b.ViewerProtocolPolicy != want {
			t.Errorf("the path %q has the policy %s, want %s", b.PathPattern, b.ViewerProtocolPolicy, want)
		}
		if b.PathPattern != "/portal/assets/*" && b.CachePolicyID != cachingDisabled {
			t.Errorf("the path %q is cached", b.PathPattern)
		}
	}
}

// readProperties reads the properties of a resource of template.yaml.
func readProperties(t *testing.T, id string, properties any) {
	t.Helper()
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	resource, found := template.Resources[id]
	if !found {
		t.Fatalf("template.yaml has no %s", id)
	}
	if err := resource.Properties.Decode(properties); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
}

// TestAccessLogHasNoSecrets reads the fields of the access log. Queries and headers can have secrets.
//
//proves:docs/security.md
func TestAccessLogHasNoSecrets(t *testing.T) {
	var api struct {
		AccessLogSettings struct {
			Format string `yaml:"Format"`
		} `yaml:"AccessLogSettings"`
	}
	readProperties(t, "HttpApi", &api)
	format := api.AccessLogSettings.Format
	for _, field := range []string{"requestId", "requestTimeEpoch", "identity.sourceIp", "httpMethod", "routeKey",
		"status"} {
		if !strings.Contains(format, "$context."+field) {
			t.Errorf("the access log lacks %s", field)
		}
	}
	for _, part := range []string{"query", "header", "authorizer", "cookie"} {
		if strings.Contains(strings.ToLower(format), part) {
			t.Errorf("the access log has a %s", part)
		}
	}
}
