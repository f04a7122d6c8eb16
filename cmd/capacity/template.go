package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// deployed is what the template says about costs and limits.
type deployed struct {
	memory map[string]float64 // of each function in MB
	// The monitoring of a stack with an AlarmTopicArn, by the values of the parameter Monitoring.
	basic, full monitoring
	// requestsPerSecond is the default of the parameter RequestsPerSecond, and mostRequestsPerSecond its highest value.
	requestsPerSecond, mostRequestsPerSecond float64
}

// monitoring is what CloudWatch charges for.
type monitoring struct{ alarms, metrics, dashboards int } // metrics are those that alarms watch

// resource has the parts of resources that cost something.
type resource struct {
	Type       string `yaml:"Type"`
	Condition  string `yaml:"Condition"`
	Properties struct {
		MemorySize yaml.Node   `yaml:"MemorySize"`
		Metrics    []yaml.Node `yaml:"Metrics"`
	} `yaml:"Properties"`
}

func readTemplate(path string) (deployed, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return deployed{}, fmt.Errorf("read the template: %w", err)
	}
	var template struct {
		Globals struct {
			Function struct {
				MemorySize float64 `yaml:"MemorySize"`
			} `yaml:"Function"`
		} `yaml:"Globals"`
		Parameters struct {
			RequestsPerSecond struct {
				Default  float64 `yaml:"Default"`
				MaxValue float64 `yaml:"MaxValue"`
			} `yaml:"RequestsPerSecond"`
		} `yaml:"Parameters"`
		Resources map[string]resource `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		return deployed{}, fmt.Errorf("decode the template: %w", err)
	}
	accepted := template.Parameters.RequestsPerSecond
	found := deployed{memory: map[string]float64{}, requestsPerSecond: accepted.Default,
		mostRequestsPerSecond: accepted.MaxValue}
	for id, r := range template.Resources {
		switch r.Type {
		case "AWS::Serverless::Function":
			if found.memory[id], err = memoryOf(r.Properties.MemorySize, template.Globals.Function.MemorySize); err != nil {
				return deployed{}, fmt.Errorf("the memory of %s: %w", id, err)
			}
		case "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard":
			found.full.add(r)
			if r.Condition != "HasFullMonitoring" {
				found.basic.add(r)
			}
		}
	}
	return found, nil
}

func (m *monitoring) add(r resource) {
	if r.Type == "AWS::CloudWatch::Dashboard" {
		m.dashboards++
		return
	}
	m.alarms++
	m.metrics += watched(r.Properties.Metrics)
}

// memoryOf returns the memory of a function. If a condition decides, the default counts, which is the last value.
func memoryOf(node yaml.Node, global float64) (float64, error) {
	switch node.Kind {
	case 0:
		return global, nil
	case yaml.SequenceNode:
		return strconv.ParseFloat(node.Content[len(node.Content)-1].Value, 64)
	}
	return strconv.ParseFloat(node.Value, 64)
}

// watched returns the number of metrics of an alarm: one, or those of its expression.
func watched(metrics []yaml.Node) int {
	count := 0
	for i := range metrics {
		text, err := yaml.Marshal(&metrics[i])
		if err == nil && strings.Contains(string(text), "MetricStat") {
			count++
		}
	}
	return max(1, count)
}
