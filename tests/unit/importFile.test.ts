/** Files of players as people have them: what the import reads of each, before the service sees a row. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { guessUses, isHeadless, sheetOf, withUse } from "../../web/src/staff/people/import/columns.ts";
import { decode, type Encoding, otherFileText } from "../../web/src/staff/people/import/decode.ts";
import { mailboxOf, makeDrafts, proposeOthers, splitName } from "../../web/src/staff/people/import/rows.ts";
import { fromCsv, toCsv } from "../../web/src/staff/ui/csv.ts";

const bytesOf = (name: string): Uint8Array =>
  readFileSync(new URL(`../fixtures/csv/${name}`, import.meta.url));

/** A file as the import understands it by itself. @param known the players of the game */
const understood = (
  bytes: Uint8Array,
  { encoding, known = [] }: { encoding?: Encoding; known?: Parameters<typeof makeDrafts>[2] } = {},
) => {
  const { text, isUnicode } = decode(bytes, encoding);
  const table = fromCsv(text);
  const sheet = sheetOf(table, !isHeadless(table));
  const uses = guessUses(sheet);
  const { drafts, blank } = makeDrafts(sheet, uses, known, new Map());
  const shown = drafts.map(({ row, alias, isProposed, first_name, last_name, email, labels }) =>
    [`${row} ${alias}${isProposed ? "*" : ""}`, first_name, last_name, email, labels.join("+")].join("|"),
  );
  return { isUnicode, table, sheet, uses, drafts, blank, shown };
};

const textFile = (text: string): Uint8Array => new TextEncoder().encode(text);

it.each<[file: string, rows: string[]]>([
  [
    "windows1252.csv",
    ["2 Zoe K|Zoë|Krüger|zoe@example.org|waiver", "3 Jose N|José|Núñez|jose@example.org|waiver"],
  ],
  [
    "utf8_bom_semicolon.csv",
    ["2 Zoe K|Zoë|Krüger|zoe@example.org|waiver", "3 Jose N|José|Núñez|jose@example.org|waiver"],
  ],
  [
    "excel_unicode_text.txt",
    ["2 Zoe K|Zoë|Krüger|zoe@example.org|waiver", "3 Li|伟|李|li@example.org|waiver+briefing"],
  ],
  ["utf16be_no_bom.csv", ["2 Zoe K|Zoë|||", "3 Dan|Łukasz|||"]],
  [
    "excel_sep_semicolon.csv",
    ["2 Zoe K|Zoë|Krüger|zoe@example.org|", "3 José N|José|Núñez; Jr.|jose@example.org|"],
  ],
  ["mac_cr.csv", ["2 Tiger|Wei|Li|wei@example.org|", "3 Fox|Ana|Diaz|ana@example.org|"]],
  [
    "quotes_ok_multiline.csv",
    ['2 Rock|Dwayne "The Rock"|Johnson Jr.|rock@example.org|', "5 Rock2|A|B|r2@example.org|"],
  ],
  [
    "quotes_unbalanced.csv",
    [
      "2 Bo One|5' 11\" Bo|One|bo1@example.org|",
      "3 Bo Two|Bo|Two|bo2@example.org|",
      "4 Bo Three|Bo|Three|bo3@example.org|",
    ],
  ],
  [
    "header_email_variants.csv",
    ["2 Em One|Em|One|em.one@example.org|waiver", "3 Em Two|Em|Two|em.two@example.org|waiver"],
  ],
  [
    "google_form_alias.csv",
    ["2 Nightshade|Ana|Díaz|ana.diaz@example.org|", "3 Tiger Li|Wei|Li|li.wei@example.org|"],
  ],
])("%s is read as it was meant", (file, rows) => {
  expect(understood(bytesOf(file)).shown).toEqual(rows);
});

it("a file that is not Unicode is read in the encoding that a game master chooses", () => {
  const bytes = bytesOf("windows1250.csv");
  expect(understood(bytes)).toMatchObject({ isUnicode: false, shown: ["2 Luk|£ukasz|¯ó³æ||"] });
  expect(understood(bytes, { encoding: "windows-1250" }).shown).toEqual(["2 Luk|Łukasz|Żółć||"]);
});

it("the columns of a form are guessed, a sentence is no label, and who repeats a mailbox is named", () => {
  const { sheet, uses, drafts } = understood(bytesOf("google_form.csv"));
  expect(uses).toEqual(["ignore", "email", "first_name", "last_name", "alias", "ignore", "ignore"]);
  expect(sheet.columns[5]).toEqual({ head: "Phone number", samples: ["(555) 010-4477", "+1 555 0100"] });
  expect(drafts.map(({ row, repeats }) => [row, repeats])).toEqual([
    [2, null],
    [3, null],
    [4, 2],
  ]);
  const { drafts: same } = understood(bytesOf("dup_emails.csv"));
  expect(same.map(({ row, repeats }) => [row, repeats])).toEqual([
    [2, null],
    [3, 2],
    [4, 2],
  ]);
});

it.each([
  ["Vorname;Name;E-Mail", ["first_name", "last_name", "email"]],
  ["Nom,Prénom,Courriel,Pseudo", ["last_name", "first_name", "email", "alias"]],
  ["Nombre,Apellidos,Correo electrónico", ["first_name", "last_name", "email"]],
  ["Nombre,Correo", ["full_name", "email"]],
  ["Name,First name,Last name,Tags", ["ignore", "first_name", "last_name", "labels"]],
  ["Timestamp,What's your full name?,Please enter your e-mail", ["ignore", "full_name", "email"]],
  ["Wie lautet dein Vorname?,¿Cuál es tu correo?", ["first_name", "email"]],
  ["Email Address,Email,Nickname", ["email", "ignore", "alias"]],
])("the heads %s are recognised", (heads, uses) => {
  expect(understood(textFile(heads)).uses).toEqual(uses);
});

it("the cells of a column count, too", () => {
  const { uses } = understood(
    textFile("alias,How to reach you,Labels\nAda,ada@example.org,I have signed it\n"),
  );
  expect(uses).toEqual(["alias", "email", "ignore"]);
  expect(understood(textFile("alias,Labels\nAda,waiver\nBen,late\nCid,not a label\n")).uses[1]).toBe(
    "labels",
  );
  // Chosen by hand, a sentence is one label, which the service refuses with its row: it is never eight.
  const { sheet } = understood(textFile('alias,Labels\nAda,I have signed it\nBen,"waiver; Late,new"\n'));
  const { drafts } = makeDrafts(sheet, ["alias", "labels"], [], new Map());
  expect(drafts.map(({ labels }) => labels)).toEqual([["I have signed it"], ["waiver", "Late", "new"]]);
  // A file without heads has letters for them.
  const headless = understood(textFile("Ada,ada@example.org\nBen,ben@example.org\n"));
  expect(headless.sheet.columns.map(({ head }) => head)).toEqual(["A", "B"]);
  expect(headless.shown).toEqual(["1 Player 1*|||ada@example.org|", "2 Player 2*|||ben@example.org|"]);
  expect(withUse(["alias", "email", "ignore"], 2, "alias")).toEqual(["ignore", "email", "alias"]);
});

it("who has no alias gets one of the name that nobody has, or their own if they play already", () => {
  const file = textFile(
    "First name,Last name,Email\nAna,Díaz,ana@example.org\nAna,Doe,doe@example.org\nana,d.,\nJ. R.,van 't Hoff,\nZoë,,\nZoë,,\n,,x@example.org\n",
  );
  const known = [
    { alias: "Nightshade", first_name: "Ana", last_name: "Díaz", email: "ANA@example.org" },
    { alias: "Ana D", first_name: null, last_name: null, email: null },
  ];
  const aliases = understood(file, { known }).drafts.map(({ alias }) => alias);
  expect(aliases).toEqual(["Nightshade", "Ana Do", "ana", "J R v", "Zoë", "Zoë 2", "Player 8"]);
  // The service refuses what looks like another alias: then it is the next.
  const { drafts } = understood(file);
  expect(drafts.slice(0, 2).map(({ alias }) => alias)).toEqual(["Ana D", "Ana Do"]);
  const others = proposeOthers(drafts, new Set([2]));
  expect(others.slice(0, 2).map(({ alias }) => alias)).toEqual(["Ana Di", "Ana Do"].with(0, "Ana Dí"));
});

it("a quotation mark that encloses nothing is named by row and column, and loses no row", () => {
  const { table, shown } = understood(
    textFile('alias,first_name\nAda,"5 foot\n"Bo" the man,Bo\nCid,"C ""the"" D"\nDan,6\'"\n'),
  );
  expect(table.strayQuotes).toEqual([
    { row: 2, column: 1, cell: '"5 foot' },
    { row: 3, column: 0, cell: '"Bo" the man' },
    { row: 5, column: 1, cell: "6'\"" },
  ]);
  expect(shown).toHaveLength(4);
  expect(shown[2]).toBe('4 Cid|C "the" D|||');
});

it("what is in a row beyond the columns, and a row without anybody, is told", () => {
  const { drafts, blank } = understood(textFile("alias,phone\nAda,1,more, \n\n,555\n"));
  expect(drafts).toMatchObject([{ row: 2, alias: "Ada", beyond: ["more"] }]);
  expect(blank).toEqual([4]);
});

it.each([
  ["PK\u0003\u0004\u0014\0[Content_Types].xml xl/workbook.xml", /Excel workbook.*CSV UTF-8/],
  ["PK\u0003\u0004\u0014\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet", /LibreOffice.*Text CSV/],
  ["PK\u0003\u0004\u0014\0Index/Document.iwa", /Numbers.*Export To > CSV/],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", /Excel workbook/],
  ["%PDF-1.7\n", /This is a PDF file/],
  ["<html><body><table>", /HTML/],
  ["alias\0\0\u0001", /no CSV file/],
])("%j is no CSV file, and the page says how to make one", (head, says) => {
  expect(otherFileText(Buffer.from(head, "latin1"))).toMatch(says);
});

it("what the app writes is understood by its own import", () => {
  const heads = ["alias", "first_name", "last_name", "email", "link", "recovery_code", "expires_at"];
  const row = [
    "Zoë",
    "Zoë",
    "=Krüger",
    "zoe@example.org",
    "https://hvz.example/app/recover?alias=x",
    "AAAA",
    "",
  ];
  const bytes = textFile(toCsv([heads, row]));
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(otherFileText(bytes)).toBeNull();
  expect(understood(bytes).shown).toEqual(["2 Zoë|Zoë|=Krüger|zoe@example.org|"]);
});

it.each([
  ["Robert Downey Jr.", "Robert", "Downey Jr."],
  ["Downey, Robert", "Robert", "Downey"],
  ["Robert Downey, Jr.", "Robert", "Downey, Jr."],
  ["J. R. García Márquez", "J. R.", "García Márquez"],
  ["J. Smith", "J.", "Smith"],
  ["李伟", "李伟", ""],
])("the whole name %j has two parts", (name, first_name, last_name) => {
  expect(splitName(name)).toEqual({ first_name, last_name });
});

it("spellings of one mailbox are the same", () => {
  expect(mailboxOf("Same+hvz@Example.org")).toBe(mailboxOf("same@example.ORG"));
  expect(mailboxOf("a@b.example")).not.toBe(mailboxOf("ab@b.example"));
});
