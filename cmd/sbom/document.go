package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"portside/shared/web"
)

// describe returns the document: the release, its programs, and what each of them contains.
func describe(programs []program, packages embedded) *cyclonedx.BOM {
	release := cyclonedx.Component{
		BOMRef: "portside", Type: cyclonedx.ComponentTypeApplication, Name: "portside", Version: web.ReleaseVersion,
	}
	contained := map[string]cyclonedx.Component{}
	depends := map[string][]string{release.BOMRef: {}}
	for _, p := range programs {
		contained[p.ref()] = p.component()
		depends[release.BOMRef] = append(depends[release.BOMRef], p.ref())
		for _, m := range slices.Concat(p.modules, packages.in(p)) {
			contained[m.purl()] = m.component()
			depends[p.ref()] = append(depends[p.ref()], m.purl())
		}
	}
	document := cyclonedx.NewBOM()
	document.Metadata = &cyclonedx.Metadata{Component: &release}
	document.Components = componentsOf(contained)
	document.Dependencies = dependenciesOf(depends)
	return document
}

func componentsOf(contained map[string]cyclonedx.Component) *[]cyclonedx.Component {
	var sorted []cyclonedx.Component
	for _, ref := range slices.Sorted(maps.Keys(contained)) {
		sorted = append(sorted, contained[ref])
	}
	return &sorted
}

func dependenciesOf(depends map[string][]string) *[]cyclonedx.Dependency {
	var sorted []cyclonedx.Dependency
	for _, ref := range slices.Sorted(maps.Keys(depends)) {
		on := slices.Compact(slices.Sorted(slices.Values(depends[ref])))
		sorted = append(sorted, cyclonedx.Dependency{Ref: ref, Dependencies: &on})
	}
	return &sorted
}

func (p program) ref() string { return p.kind + ":" + p.name }

func (p program) component() cyclonedx.Component {
	return cyclonedx.Component{
		BOMRef: p.ref(), Type: cyclonedx.ComponentTypeApplication, Name: p.name, Version: web.ReleaseVersion,
		Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: p.sha256}},
	}
}

func (m module) component() cyclonedx.Component {
	component := cyclonedx.Component{
		BOMRef: m.purl(), Type: cyclonedx.ComponentTypeLibrary, Name: m.name, Version: m.version, PackageURL: m.purl(),
	}
	if m.sum != "" {
		component.Properties = &[]cyclonedx.Property{{Name: m.sumName(), Value: m.sum}}
	}
	return component
}

// purl returns the package URL. Its names of Go modules are in lowercase. See https://github.com/package-url/purl-spec.
func (m module) purl() string {
	return "pkg:" + m.kind + "/" + strings.ToLower(m.name) + "@" + m.version
}

// sumName names the checksum. Both kinds are hashes of a list or an archive, and not of a file, so they are properties.
func (m module) sumName() string {
	if m.kind == npm {
		return "npm:integrity"
	}
	return "go:sum"
}
