package offline

import (
	"testing"

	"portside/documents/answers"
)

// said is a text, the name of a variable, and the expected answer: true, false or none.
type said struct{ text, name, want string }

func askWhether(t *testing.T, cases []said) {
	t.Helper()
	all := make([]asked, 0, len(cases))
	for _, c := range cases {
		all = append(all, asked{c.text, c.name, answers.Boolean, "", c.want})
	}
	ask(t, all)
}

// Contractions have either apostrophe.
func TestContractionsAreNegations(t *testing.T) {
	askWhether(t, []said{
		{"The contract wasn't approved.", "approved", "false"},
		{"The contract wasn’t approved.", "approved", "false"},
		{"The contract hasn't been approved.", "approved", "false"},
		{"The contract hadn’t been approved.", "approved", "false"},
		{"The invoices haven't been paid.", "paid", "false"},
		{"The invoices weren't paid.", "paid", "false"},
		{"The invoice won't be paid.", "paid", "false"},
		{"The contract ain't signed.", "signed", "false"},
		{"The board didn't approve the contract.", "approved", "false"},
		{"The members don't approve the contract.", "approved", "false"},
		{"The board doesn't approve the contract.", "approved", "false"},
		{"The contract isn't signed.", "signed", "false"},
		{"The invoices aren’t paid.", "paid", "false"},
		{"Subletting isn't allowed.", "subletting_allowed", "false"},
		{"The contract couldn't be approved.", "approved", "false"},
		{"The contract shouldn't be signed.", "signed", "false"},
		{"The contract wouldn't be signed.", "signed", "false"},
		{"The contract mustn't be signed.", "signed", "false"},
		{"The contract was approved.", "approved", "true"},
		{"The contract's approved by the board.", "approved", "true"},
		{"The tenants' invoices were paid.", "paid", "true"},
		{"The board has approved the contract.", "approved", "true"},
		{"We've signed the contract.", "signed", "true"},
		{"The chairman's contract was signed.", "signed", "true"},
		{"Nobody won, but the contract was approved.", "approved", "true"},
	})
}

func TestPhrasesThatDenyMakeStatementsFalse(t *testing.T) {
	askWhether(t, []said{
		{"Nobody approved the contract.", "approved", "false"},
		{"The contract lacks a signature.", "signature", "false"},
		{"The board failed to approve the contract.", "approved", "false"},
		{"The contract is far from approved.", "approved", "false"},
		{"The contract is anything but approved.", "approved", "false"},
		{"Approval of the contract was denied.", "approved", "false"},
		{"Die Rechnung ist keineswegs bezahlt.", "bezahlt", "false"},
		{"Die Genehmigung wurde verweigert.", "genehmigt", "false"},
		{"Niemand hat den Vertrag genehmigt.", "genehmigt", "false"},
		{"La facture n'est plus payée.", "payée", "false"},
		{"La facture n’est guère payée.", "payée", "false"},
		{"La facture n'est point payée.", "payée", "false"},
		{"Personne n'a approuvé le contrat.", "approuvé", "false"},
		{"De factuur is geenszins betaald.", "betaald", "false"},
		{"De factuur is allerminst betaald.", "betaald", "false"},
		{"Niemand heeft het contract goedgekeurd.", "goedgekeurd", "false"},
		{"La factura está en absoluto pagada.", "pagada", "false"},
		{"Nadie ha aprobado el contrato.", "aprobado", "false"},
		{"Ninguém aprovou o contrato de arrendamento na reunião.", "aprovado", "false"},
		{"A fatura de modo algum foi paga.", "paga", "false"},
		{"La fattura è tutt'altro che pagata.", "pagata", "false"},
		{"La fattura non è affatto pagata.", "pagata", "false"},
		{"Fakturan är ingalunda betald.", "betald", "false"},
		{"Faktura bynajmniej nie jest opłacona.", "opłacona", "false"},
		{"Nikt nie podpisał umowy i faktury.", "podpisana", "false"},
		{"Factura nu este deloc plătită.", "plătită", "false"},
		{"Die Rechnung ist selbstverständlich bezahlt.", "bezahlt", "true"},
		{"Somebody approved the contract yesterday.", "approved", "true"},
		{"La facture est payée en plus du loyer.", "payée", "true"},
		{"La facture est déjà payée.", "payée", "true"},
		{"De factuur is allang betaald.", "betaald", "true"},
		{"La factura está pagada.", "pagada", "true"},
		{"La fattura è già stata pagata.", "pagata", "true"},
		{"Fakturan är redan betald.", "betald", "true"},
		{"Faktura jest już opłacona.", "opłacona", "true"},
		{"Factura este deja plătită.", "plătită", "true"},
		{"A fatura já foi paga.", "paga", "true"},
	})
}

// A statement that is partly true, unknown or disputed is neither true nor false.
func TestDoubtsGiveNoAnswer(t *testing.T) {
	askWhether(t, []said{
		{"The contract is almost approved.", "approved", ""},
		{"The contract was hardly approved.", "approved", ""},
		{"The invoice is barely paid.", "paid", ""},
		{"The invoice is partly paid.", "paid", ""},
		{"It is unclear whether the contract was approved.", "approved", ""},
		{"It is not known whether the invoice was paid.", "paid", ""},
		{"The customer denied that the contract was approved.", "approved", ""},
		{"The contract is allegedly signed by both parties.", "signed", ""},
		{"Es ist unklar, ob die Rechnung bezahlt wurde.", "bezahlt", ""},
		{"Der Kunde bestreitet, dass die Rechnung bezahlt wurde.", "bezahlt", ""},
		{"Wir glauben nicht, dass die Rechnung bezahlt ist.", "bezahlt", ""},
		{"Die Rechnung ist fast bezahlt.", "bezahlt", ""},
		{"No está claro si la factura fue pagada.", "pagada", ""},
		{"La factura está casi pagada.", "pagada", ""},
		{"O cliente negou que a fatura foi paga.", "paga", ""},
		{"On ignore si la facture a été payée.", "payée", ""},
		{"La facture est presque payée.", "payée", ""},
		{"Non è chiaro se la fattura è stata pagata.", "pagata", ""},
		{"La fattura è quasi pagata.", "pagata", ""},
		{"Het is onduidelijk of de factuur is betaald.", "betaald", ""},
		{"De factuur is bijna betaald.", "betaald", ""},
		{"Det är oklart om fakturan är betald.", "betald", ""},
		{"Fakturan är knappast betald.", "betald", ""},
		{"Faktura jest prawie opłacona.", "opłacona", ""},
		{"Nie wiadomo, czy faktura jest opłacona.", "opłacona", ""},
		{"Factura pentru luna mai este aproape plătită.", "plătită", ""},
		{"Nu se știe dacă factura este plătită.", "plătită", ""},
		{"Wir bestätigen, dass die Rechnung bezahlt ist.", "bezahlt", "true"},
		{"We confirm that the invoice was paid.", "paid", "true"},
		{"Potwierdzamy, że faktura jest opłacona.", "opłacona", "true"},
		{"Die Lieferung steht aus, die Rechnung ist bezahlt.", "bezahlt", "true"},
		{"The delivery is pending, the invoice is not paid.", "paid", "false"},
	})
}

// A label and a value of another kind do not form a statement.
func TestLabelWithoutAnswerGivesNoAnswer(t *testing.T) {
	askWhether(t, []said{
		{"Insured: not known", "insured", ""}, {"Insured: n/a", "insured", ""}, {"Paid: n/a", "paid", ""}, {"Insured: unknown", "insured", ""},
		{"Insured\tn/a", "insured", ""}, {"Paid: N/A", "paid", ""}, {"Insured by the landlord: n/a", "insured", ""},
		{"VAT included: n/a", "VAT included", ""}, {"Paid: n.a.", "paid", ""}, {"Paid: n. a.", "paid", ""}, {"Paid: not applicable", "paid", ""},
		{"Versichert: k.A.", "versichert", ""}, {"Versichert: nicht bekannt", "versichert", ""}, {"Bezahlt: in Bearbeitung", "bezahlt", ""},
		{"Genehmigt: wird geprüft", "genehmigt", ""}, {"Genehmigt: steht noch aus", "genehmigt", ""}, {"Bezahlt: keine Angabe", "bezahlt", ""},
		{"Assuré: s.o.", "assuré", ""}, {"Payée: en attente", "payée", ""}, {"Payée : en attente", "payée", ""},
		{"Approvato: in attesa", "approvato", ""}, {"Verzekerd: n.v.t.", "verzekerd", ""}, {"Pagada: pendiente", "pagada", ""},
		{"Opłacona: nie dotyczy", "opłacona", ""}, {"Plătită: nu se aplică", "plătită", ""}, {"Betald: uppgift saknas", "betald", ""},
		{"Paga: não se aplica", "paga", ""},
		{"Approved: to be confirmed", "approved", ""}, {"Approved: under review", "approved", ""}, {"Approved: in progress", "approved", ""},
		{"Approved: awaiting decision", "approved", ""}, {"Approved: see annex", "approved", ""}, {"Approved: approval pending", "approved", ""},
		{"Delivery takes two weeks. Approved: under review", "approved", ""}, {"Paid: see the attached list", "paid", ""},
		{"Insured: yes", "insured", "true"}, {"Paid: n", "paid", "false"}, {"Paid: N", "paid", "false"}, {"Paid: y", "paid", "true"},
		{"Paid: no, see annex", "paid", "false"}, {"Paid: not yet", "paid", "false"}, {"Bezahlt: noch nicht", "bezahlt", "false"},
		{"Payée : pas encore", "payée", "false"}, {"Pagata: non ancora", "pagata", "false"}, {"Betaald: nog niet", "betaald", "false"},
		{"Versichert: ja", "versichert", "true"}, {"Genehmigt: nein", "genehmigt", "false"}, {"Assuré: oui", "assuré", "true"},
		{"Shipping: included in the price", "shipping included", "true"}, {"Shipping: not included", "shipping included", "false"},
		{"Certificate: attached", "certificate attached", "true"}, {"Minutes: approved", "minutes approved", "true"},
		{"Pets: not permitted on the premises", "pets allowed", "false"}, {"Note: the invoice is paid.", "paid", "true"},
		{"Hinweis: Die Rechnung ist nicht bezahlt.", "bezahlt", "false"}, {"Approval: The board approved the contract.", "approved", "true"},
		{"Insurance is included in the price: EUR 50", "insurance included", "true"}, {"Betald\tja", "betald", "true"},
		{"Approved: 3 May 2026", "approved", "true"}, {"Signed: Anna Meier, 3 May 2026", "signed", "true"},
		{"Unterschrieben am: 3. März 2026", "unterschrieben", "true"}, {"Paid: by 3 May 2026", "paid", ""},
		{"Insured: unknown as of 3 May 2026", "insured", ""}, {"Bezahlt: bis 3. März 2026", "bezahlt", ""},
		{"Bezahlt: 200 EUR", "bezahlt", ""}, {"Status: to be approved", "approved", ""}, {"Unpaid: n/a", "paid", ""}, {"Unpaid: yes", "paid", "false"},
		{"Zapłacona: nie", "zapłacona", "false"}, {"Plătită: da", "plătită", "true"}, {"Paga: sim", "paga", "true"},
	})
}

// A duty says neither that something is done nor that it is not.
func TestDutiesAreNotDoneYet(t *testing.T) {
	askWhether(t, []said{
		{"The invoice is to be paid.", "paid", ""}, {"The invoice must be paid by 3 May.", "paid", ""},
		{"The invoice must be paid no later than 3 May.", "paid", ""}, {"The invoice must be paid without deduction.", "paid", ""},
		{"The contract must be signed.", "signed", ""}, {"The minutes will be approved tomorrow.", "approved", ""},
		{"The contract has to be signed by both parties.", "signed", ""}, {"We'll have the contract signed next week.", "signed", ""},
		{"Contract: must be signed", "contract signed", ""},
		{"La factura debe ser pagada.", "pagada", ""}, {"El acta será aprobada mañana.", "aprobada", ""},
		{"A fatura deve ser paga.", "paga", ""}, {"La facture doit être payée.", "payée", ""},
		{"Le contrat sera signé demain.", "signé", ""}, {"Die Rechnung muss noch bezahlt werden.", "bezahlt", ""},
		{"Der Vertrag muss noch unterschrieben werden.", "unterschrieben", ""}, {"Das Protokoll wird morgen genehmigt.", "genehmigt", ""},
		{"Das Protokoll wird genehmigt werden.", "genehmigt", ""}, {"La fattura deve essere pagata.", "pagata", ""},
		{"Il contratto sarà firmato domani.", "firmato", ""}, {"De factuur moet worden betaald.", "betaald", ""},
		{"De notulen worden morgen goedgekeurd.", "goedgekeurd", ""}, {"Fakturan ska betalas och vara betald i maj.", "betald", ""},
		{"Faktura musi zostać opłacona.", "opłacona", ""}, {"Factura trebuie plătită.", "plătită", ""},
		{"The contract must be signed.", "signature required", "true"}, {"A signature is required.", "signature required", "true"},
		{"Approval is required.", "approval required", "true"}, {"The invoice must be paid.", "must_be_paid", "true"},
		{"The contract was signed and must be kept.", "signed", "true"}, {"The invoice was paid in May.", "paid", "true"},
		{"In May the invoice was paid.", "paid", "true"}, {"The contract, which will start in May, was signed.", "signed", "true"},
		{"Breakfast will be included.", "breakfast included", "true"}, {"The invoice will not be paid.", "paid", "false"},
		{"La factura fue pagada por el cliente.", "pagada", "true"}, {"La facture a été payée.", "payée", "true"},
		{"Der Vertrag wurde unterschrieben.", "unterschrieben", "true"}, {"Der Antrag wird genehmigt.", "genehmigt", "true"},
		{"Die Rechnung wurde nicht bezahlt.", "bezahlt", "false"}, {"Il contratto è stato firmato.", "firmato", "true"},
		{"De notulen worden goedgekeurd.", "goedgekeurd", "true"}, {"Umowa nie została podpisana.", "podpisana", "false"},
		{"Factura a fost plătită.", "plătită", "true"}, {"The rent must be paid monthly.", "rent paid monthly", "true"},
		{"The invoice is paid.", "paid", "true"}, {"A fatura foi paga.", "paga", "true"}, {"Fakturan är inte betald.", "betald", "false"},
	})
}
