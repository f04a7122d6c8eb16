package names

// RolePhrases come between the name of a party and its role: X, hereinafter "the Supplier".
var RolePhrases = []string{
	"hereinafter", "hereafter", "en adelante", "en lo sucesivo", "adiante designado", "adiante designada", "doravante", "di seguito", "d'ora in avanti",
	"d'ora innanzi", "ci-après", "nachfolgend", "im folgenden", "nachstehend", "hierna", "verder te noemen", "nedan kallad",
	"nedan", "härefter", "fortsättningsvis", "zwanym", "zwaną", "zwany", "zwana", "zwanymi", "denumit", "numit", "în calitate de",
	"in qualità di", "en calidad de", "na qualidade de", "en qualité de", "as the", "in de hoedanigheid van", "w charakterze",
}
