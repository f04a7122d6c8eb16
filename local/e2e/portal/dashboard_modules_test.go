package portal

import (
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// TestDashboardModules imports the modules of files and axes, and calls them with every difficult value.
//
//proves:docs/security.md
func TestDashboardModules(t *testing.T) {
	page := e2etest.Shared(t).Portal.VisitAsNew(t, "viewer", "viewer")
	page.Open("/portal")
	const load = `const load = name => import(document.querySelector("script[type=module]").src.replace("core/main.js", name));`
	for cell, want := range map[string]string{
		`"a,b"`: `"a,b"`, `'say "x"'`: `"say ""x"""`, `"two\nlines"`: "\"two\nlines\"", `" x "`: `" x "`, `-1.5`: `-1.5`, `0`: `0`, `null`: ``,
		`"=1+1"`: `'=1+1`, `"+1+1"`: `'+1+1`, `"-1"`: `-1`, `"+5.2"`: `+5.2`, `"-1-1"`: `'-1-1`, `"@a"`: `'@a`, `"\t=1"`: "'\t=1",
		`" =1"`: `' =1`, `"\u200b=1"`: "'\u200b=1", `"\u0085=1"`: "'\u0085=1", `"\x1f=1"`: "'\x1f=1", `"＝1"`: `'＝1`, `"a=1"`: `a=1`, `"ü"`: `ü`,
	} {
		expression := `(async () => { ` + load + ` return (await load("core/csv.js")).toCSV([[` + cell + `, 1]]); })()`
		if got := browser.Eval[string](page, expression); got != want+",1\r\n" {
			t.Errorf("the cell %s becomes %q, want %q", cell, got, want)
		}
	}
	wrong := browser.Eval[[]string](page, `(async () => { `+load+`
		const { valueTicks, dayTicks } = await load("components/scale.js");
		const wrong = [];
		const ranges = [0, 1e-6, 0.02, 1, 3, 7, 99.97, 100, 101, 4096, 1e6, 123456789].flatMap(
			high => [0, high / 3, high * 0.99].flatMap(low => [false, true].map(isWhole => [low, high, isWhole])));
		for (const [low, high, isWhole] of ranges) {
			const ticks = valueTicks(low, high, { isWhole }), step = ticks[1] - ticks[0];
			const isRound = [1, 2, 5, 10].includes(Number((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toPrecision(6)));
			const isEven = ticks.every((tick, i) => i === 0 || Math.abs(tick - ticks[i - 1] - step) < step * 1e-6);
			const isEnough = ticks[0] <= low && ticks.at(-1) >= high && ticks.length >= 2 && ticks.length <= 7;
			if (!isRound || !isEven || !isEnough || (isWhole && step < 1)) wrong.push(low + " to " + high + ": " + ticks);
		}
		for (let size = 1; size < 1900; size += 13) for (const most of [1, 3, 8, 14]) {
			const dates = Array.from({ length: size }, (_, i) => new Date(Date.UTC(2026, 10, 22 - size + i)).toISOString().slice(0, 10));
			const labels = dayTicks(dates, most).map(tick => tick.label);
			if (labels.length < 1 || labels.length > most || new Set(labels).size < labels.length) wrong.push(size + " days: " + labels);
		}
		return wrong;
	})()`)
	if len(wrong) > 0 {
		t.Errorf("%d axes are wrong, such as %q", len(wrong), wrong[:min(5, len(wrong))])
	}
}
