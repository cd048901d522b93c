/** Files in and out of the pages, as people have them, in every browser's engine. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import { describeInEngines, describeInOneEngine, type OpenTab, type Tab } from "../support/engines.ts";
import { bytes, le32, plain, u32 } from "../support/pictures.ts";
import { running } from "../support/running.ts";
import {
  PASSWORD,
  type Result,
  type TestEnvironment,
  type TestPlayer,
  testEnvironment,
} from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { useTempDir } from "../support/tempDir.ts";
import { BASE, TIMEOUT } from "../support/webPages.ts";

const fixture = (name: string): string => new URL(`../fixtures/csv/${name}`, import.meta.url).pathname;

/** From now on, the files that the page saves stay in the page, too. */
const KEEP_FILES = `(() => {
  globalThis.files = [];
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    files.push(blob);
    return create(blob);
  };
  return null;
})()`;

/** The next import is carried out, but its response is lost. */
const LOSE_RESPONSE = `(() => {
  const send = fetch;
  let isLost = false;
  globalThis.fetch = async (url, request) => {
    const response = await send(url, request);
    if (isLost || !String(url).includes("import_players")) return response;
    isLost = true;
    throw new TypeError("the connection is lost");
  };
  return null;
})()`;

/** The rows of the file that the page has saved last, as another program reads them. */
const savedRows = async (tab: Tab): Promise<Record<string, string>[]> => {
  await expect.poll(() => tab.evaluate("files.length"), { timeout: 20_000 }).toBeGreaterThan(0);
  const content = await tab.evaluate(`files.at(-1).arrayBuffer()
    .then((buffer) => String.fromCharCode(...new Uint8Array(buffer)))`);
  const file = Buffer.from(String(content), "latin1");
  // Without this mark, Excel reads UTF-8 as its own encoding.
  expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  return parse(file, { bom: true, columns: true, record_delimiter: "\r\n" });
};

/** The cells of the preview, row by row. A field has its text as its value. */
const PREVIEW = `[...document.querySelectorAll(".preview tbody tr")].map((row) =>
  [...row.cells].map((cell) => cell.querySelector("input")?.value ?? cell.textContent).join("|"))`;

/** Photographs that no engine on Linux decodes, as phones and cameras name them, and what the page says. */
const PHOTOS: [name: string, content: Buffer, says: string][] = [
  ["IMG_2041.HEIC", bytes(u32(24), "ftypheic", u32(0), "mif1heic", Buffer.alloc(12e6)), "Most Compatible"],
  ["small.heic", bytes(u32(24), "ftypmif1", u32(0), "mif1heix", Buffer.alloc(900)), "This is a HEIC photo"],
  ["scan.tif", bytes("II*\0", le32(8), Buffer.alloc(9e6)), "This is a TIFF file"],
  ["DSC_0042.NEF", bytes("MM\0*", u32(8), Buffer.alloc(2e4)), "This is a RAW file"],
  ["poster.psd", bytes("8BPS", Buffer.alloc(200)), "This is a Photoshop file"],
  ["form.pdf", bytes("%PDF-1.7\n", Buffer.alloc(200)), "This is a PDF file"],
  ["cut.jpg", bytes("\xff\xd8\xff\xe0", Buffer.alloc(7_300_000)), "This JPEG of 7.3 MB cannot be opened"],
  ["notes.txt", Buffer.from("not a picture"), "no picture that this browser can open"],
];

/** How long a slow machine may take to send 80 mails. */
const SENDING = { timeout: 60_000, interval: 500 };

/** The mails of a folder: to whom, and what their links have in their fragment. */
const mailsIn = (folder: string): { to: string; fragment: string }[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".eml"))
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("=\r\n", "").replaceAll("=3D", "="))
    .map((text) => ({
      to: /^To: (\S+)/m.exec(text)?.[1] ?? "",
      fragment: /\/app\/recover#(\S+)/.exec(text)?.[1] ?? "",
    }));

const OF_GM = "Game Master||||";

/** What the tests of imports do, with the tabs of an engine. */
const importing = (open: OpenTab, s: TestEnvironment) => {
  const { read } = shortRequests(s);
  const stored = async (gm: TestPlayer): Promise<Result["body"][]> =>
    (await read(gm, "/admin/get_players")).players;
  const fieldsOf = (players: Result["body"][]): string[] =>
    players.map(({ alias, first_name, last_name, email, labels }) =>
      [alias, first_name ?? "", last_name ?? "", email ?? "", labels.join("+")].join("|"),
    );
  const openImport = async (path: string) => {
    const gm = await s.admin();
    const tab = await open(`${BASE}/app/gm/import`, gm);
    await tab.evaluate(KEEP_FILES);
    await tab.choose("input[type=file]", path);
    return { gm, tab, create: (n: number) => tab.press(`Create ${n} player`) };
  };
  return { stored, fieldsOf, openImport };
};

describeInEngines("files", (open) => {
  const s = testEnvironment();
  const pathOf = useTempDir();
  const { stored, fieldsOf, openImport } = importing(open, s);

  it("that are no pictures for this browser are named, with the way out, and are not sent", async () => {
    const [, ada] = await s.game("Ada");
    const tab = await open(`${BASE}/app/profile`, ada);
    for (const [name, content, says] of PHOTOS) {
      const path = pathOf(name);
      writeFileSync(path, content);
      await tab.choose("input[type=file]", path);
      await tab.see(says);
    }
    const sent = await tab.evaluate(
      `performance.getEntriesByType("resource").filter(({ name }) => name.includes("set_pfp")).length`,
    );
    expect(sent).toBe(0);
    // A picture that can be opened takes the message away.
    const path = pathOf("me.png");
    writeFileSync(path, await plain(300, 200).png().toBuffer());
    await tab.choose("input[type=file]", path);
    await tab.find("dialog[open] .cropper");
    expect(await tab.evaluate(`document.querySelector("main .error-note") === null`)).toBe(true);
  });

  it("of players in UTF-16 are stored as they were meant, and their invitations are saved", async () => {
    const { gm, tab, create } = await openImport(fixture("excel_unicode_text.txt"));
    await tab.see("2 new players can be created.");
    await create(2);
    await tab.see("2 new players.");
    const made = await stored(gm);
    expect(fieldsOf(made)).toEqual([
      OF_GM,
      "Li|伟|李|li@example.org|briefing+waiver",
      "Zoe K|Zoë|Krüger|zoe@example.org|waiver",
    ]);
    const emails = made.map(({ email }) => email).filter((email) => email !== null);
    expect((await savedRows(tab)).map(({ email }) => email).toSorted()).toEqual(emails.toSorted());
  });

  it("that are no CSV files, or in a rare encoding, are named, with the way out", async () => {
    const path = pathOf("players.xlsx");
    writeFileSync(path, "PK\u0003\u0004\u0014\u0000[Content_Types].xml");
    const { tab } = await openImport(path);
    await tab.see("This is an Excel workbook, no CSV file.");
    await expect.poll(() => tab.evaluate(PREVIEW), TIMEOUT).toEqual([]);
    // A template shows what a list may have.
    await tab.press("Save a template");
    expect(await savedRows(tab)).toEqual([]);
    const head = await tab.evaluate("files.at(-1).text()");
    expect(head).toContain("alias,first_name,last_name,email,labels");
    // Nothing in a file names its encoding, so it can be chosen while the names are seen.
    await tab.choose("input[type=file]", fixture("windows1250.csv"));
    await tab.see("£ukasz");
    await tab.select("select[name=encoding]", "windows-1250");
    await tab.see("1 new player can be created.");
    await expect.poll(() => tab.evaluate(PREVIEW), TIMEOUT).toEqual(["2|Luk|Łukasz|Żółć|||New."]);
  });
});

describeInOneEngine("files", (open) => {
  const s = testEnvironment();
  const pathOf = useTempDir();
  const { stored, fieldsOf, openImport } = importing(open, s);

  it("of a form: nobody is created twice, no sentence becomes a label, and the invitations work", async () => {
    const { gm, tab, create } = await openImport(fixture("google_form.csv"));
    await tab.see("2 new players can be created.");
    await tab.see("Row 4 has the same mailbox as row 2");
    await tab.see("Not stored: Timestamp, Phone number, I have read the rules and sign the waiver.");
    // Chosen by hand, a sentence is an error of each row, and never eight labels.
    await tab.select("select[name=column-6]", "labels");
    await tab.see("0 new players can be created, 2 rows cannot be used. Correct what cannot be used");
    await tab.see("Entry 2 of the labels must be a word");
    await tab.select("select[name=column-6]", "ignore");
    await tab.see("2 new players can be created.");
    await create(2);
    await tab.see("2 new players.");
    expect(fieldsOf(await stored(gm))).toEqual([
      OF_GM,
      "Nightshade|Ana|Díaz|Ana.Diaz@example.org|",
      "Tiger Li|Wei|Li|li.wei@example.org|",
    ]);
    // The file of invitations is enough for a mail merge, and its links work.
    const invitations = await savedRows(tab);
    const [{ alias = "", link = "", recovery_code } = {}] = invitations;
    const phone = await open(link);
    await phone.find("input[name=new_password]");
    const filled = `["alias", "recovery_code"].map((name) => document.querySelector(\`[name=\${name}]\`).value)`;
    expect(await phone.evaluate(filled)).toEqual([alias, recovery_code]);
    await phone.type("input[name=new_password]", PASSWORD);
    await phone.press("Set the password and log in");
    await phone.find("nav");
  });

  it("without aliases: some are proposed, and may be typed; a mailbox that repeats may be created", async () => {
    const path = pathOf("names.csv");
    const rows = ["Ana,Díaz,ana@example.org", "Ana,Doe,ANA+hvz@example.org", "", "Bo,Li,bo@example.org"];
    writeFileSync(path, `First name,Last name,E-Mail\n${rows.join("\n")}\n`);
    const { gm, tab, create } = await openImport(path);
    await tab.see("2 new players can be created.");
    await expect
      .poll(() => tab.evaluate(PREVIEW), TIMEOUT)
      .toEqual([
        "2|Ana D|Ana|Díaz|ana@example.org||New.",
        "3|Ana Do|Ana|Doe|ANA+hvz@example.org||Left out. Same mailbox as row 2.",
        "5|Bo L|Bo|Li|bo@example.org||New.",
      ]);
    await tab.click("input[name=with_repeats]");
    await tab.see("3 new players can be created.");
    await tab.type("input[name=alias-5]", "Tiger");
    await tab.click("h1");
    await tab.see("3 new players can be created.");
    await create(3);
    await tab.see("3 new players.");
    expect((await stored(gm)).map(({ alias }) => alias)).toEqual(["Ana D", "Ana Do", "Game Master", "Tiger"]);
  });

  it("of those who have not accepted are made anew for all of them at once", async () => {
    const gm = await s.admin();
    const rows = ["Ada", "Ben", "Cid"].map((alias) => ({ alias, email: `${alias}@example.org` }));
    const made = await s.must("POST /admin/import_players/{url_id}", { as: gm, body: { rows } });
    const [{ recovery_code }, { recovery_code: old }] = made.body.rows;
    const accept = (alias: string, code: string) =>
      s.call("POST /change_password", { body: { alias, recovery_code: code, new_password: PASSWORD } });
    expect((await accept("Ada", recovery_code)).status).toBe(200);
    const tab = await open(`${BASE}/app/gm/players`, gm);
    await tab.evaluate(KEEP_FILES);
    await tab.see("4 players");
    await tab.click("input[name=invited]");
    await tab.press("Renew 2 invitations");
    await tab.click("dialog[open] button[type=submit]");
    await tab.see("2 invitations are renewed.");
    const saved = await savedRows(tab);
    expect(saved.map(({ alias, email }) => `${alias} ${email}`)).toEqual([
      "Ben Ben@example.org",
      "Cid Cid@example.org",
    ]);
    expect((await accept("Ben", old)).status).toBe(401);
    expect((await accept("Ben", saved[0]?.recovery_code ?? "")).status).toBe(200);
  });

  it("of a form are followed by invitations, and the page shows who came", async () => {
    const path = pathOf("form.csv");
    const head = `"Timestamp","Email Address","First Name","Last Name","Alias (what others see)"`;
    const rows = Array.from(
      { length: 80 },
      (_, n) => `"2026/09/14 10:02:11 PM","guest${n}@form.example","Guest","Number ${n}","Guest ${n} of all"`,
    );
    writeFileSync(path, [head, ...rows].join("\n"));
    const { gm, tab, create } = await openImport(path);
    await tab.see("80 new players can be created.");
    await create(80);
    await tab.press("Send the invitations by mail");
    await tab.see("80 players: 0 came, 80 not invited.");
    await tab.press("Send 80 invitations");
    await tab.see("The mail to Guest");
    await tab.click("dialog[open] button[type=submit]");
    await expect.poll(() => tab.text(), SENDING).toContain("80 players: 0 came, 80 sent.");
    const mails = mailsIn(join(dirname(running().backlog), "mail")).filter(({ to }) =>
      to.endsWith("@form.example"),
    );
    expect(new Set(mails.map(({ to }) => to)).size).toBe(80);
    expect(mails).toHaveLength(80);
    // The link works also after a game master has corrected the alias that it names.
    const alias = new URLSearchParams(mails[0]?.fragment).get("alias");
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { alias, alias_to: "Corrected" } });
    const guest = await open(`${BASE}/app/recover#${mails[0]?.fragment}`);
    await guest.type("input[name=new_password]", PASSWORD);
    await guest.click("form button[type=submit]");
    await expect.poll(() => guest.evaluate("location.pathname"), TIMEOUT).toBe("/app/me");
    await tab.reload();
    await tab.see("80 players: 1 came, 79 sent.");
    await tab.see("Send again to 79 who have not come");
    const [came] = (await stored(gm)).filter(({ email }) => email === mails[0]?.to);
    expect(came.alias).toBe("Corrected");
  });

  it("of a large list are sent in parts, and a lost response costs no invitation", async () => {
    const path = pathOf("many.csv");
    // Most rows are invalid, so that the test is quick.
    const rows = ["Guest 1", ...Array.from({ length: 510 }, () => "!"), "Guest 2", "GUEST 1"];
    writeFileSync(path, `alias\n${rows.join("\n")}\n`);
    const { gm, tab } = await openImport(path);
    await tab.see("2 new players can be created, 511 rows cannot be used.");
    await tab.see("Row 512: !");
    await tab.see("Row 514: GUEST 1");
    await tab.see("The alias is that of row 2.");
    await tab.evaluate(LOSE_RESPONSE);
    await tab.press("Create 2 players");
    await tab.see("The service cannot be reached.");
    await tab.press("Create 2 players");
    await tab.see("Save the invitations again");
    const saved = await savedRows(tab);
    expect(saved.map(({ alias }) => alias)).toEqual(["Guest 1", "Guest 2"]);
    for (const { alias = "", recovery_code } of saved) {
      const body = { alias, recovery_code, new_password: PASSWORD };
      expect((await s.call("POST /change_password", { body })).status).toBe(200);
    }
    expect(await stored(gm)).toHaveLength(3);
  });
});
