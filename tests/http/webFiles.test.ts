/** Files in and out of the pages, as people have them, in every browser's engine. */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeInEngines, type OpenTab, type Tab } from "../support/engines.ts";
import { bytes, le32, plain, u32 } from "../support/pictures.ts";
import { running } from "../support/running.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";

const base = running().base.replace("127.0.0.1", "localhost");

const login = async (open: OpenTab, { alias, password }: TestPlayer, path: string): Promise<Tab> => {
  const tab = await open(`${base}/app/login?to=${encodeURIComponent(path)}`);
  await tab.type("input[name=alias]", alias);
  await tab.type("input[name=password]", password);
  await tab.press("Log in");
  await tab.find("nav");
  return tab;
};

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

describeInEngines("files", (open) => {
  const s = testEnvironment();
  const pathOf = useTempDir();

  it("that are no pictures for this browser are named, with the way out, and are not sent", async () => {
    const [, ada] = await s.game("Ada");
    const tab = await login(open, ada, "/app/profile");
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
});
