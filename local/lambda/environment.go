package lambda

import (
	"cmp"
	"maps"
	"path/filepath"
	"strconv"
)

// environment returns the complete environment of the process. It contains nothing from the
// developer's shell, because a function must not depend on variables that it does not have in the
// cloud.
func (r *Runtime) environment(s *sandbox) []string {
	f := s.function
	all := map[string]string{
		"AWS_DEFAULT_REGION":              r.config.Region,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.MemoryMB),
		"AWS_LAMBDA_FUNCTION_NAME":        f.Name,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_LOG_GROUP_NAME":       cmp.Or(f.LogGroup, "/aws/lambda/"+f.Name),
		"AWS_LAMBDA_LOG_STREAM_NAME":      s.logStream(),
		"AWS_LAMBDA_RUNTIME_API":          r.address + "/" + s.id,
		"AWS_REGION":                      r.config.Region,
		"LAMBDA_TASK_ROOT":                filepath.Dir(f.Binary),
		"LANG":                            "en_US.UTF-8",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin",
		"TZ":                              ":UTC",
		"_HANDLER":                        "bootstrap",
	}
	maps.Copy(all, r.config.Environment)
	maps.Copy(all, f.Environment)
	list := make([]string, 0, len(all))
	for name, value := range all {
		list = append(list, name+"="+value)
	}
	return list
}
