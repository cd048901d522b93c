import sharp from "sharp";
import { beforeAll, expect, it } from "vitest";
import { handler as app } from "../../functions/web/app.ts";
import { handler as home } from "../../functions/web/home.ts";
import { handler as preview } from "../../functions/web/preview.ts";
import { SIDES } from "../../lib/domain/players/spiral.ts";
import { SECOND } from "../../lib/domain/time.ts";
import { buildWeb } from "../../scripts/bundle/web.ts";
import { gatewayEvent, lambdaContext } from "../../scripts/local/inProcess.ts";
import { asFunction } from "../support/calls.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const FUNCTIONS = {
  home: { handler: home, route: "GET /" },
  app: { handler: app, route: "GET /app/{path+}" },
  preview: { handler: preview, route: "GET /preview.png" },
};

beforeAll(buildWeb);

const s = testEnvironment();
const { done } = shortRequests(s);

/** Asks as a chat does, through API Gateway. */
const ask = async (name: keyof typeof FUNCTIONS, path: string, more: Record<string, string> = {}) => {
  const { handler, route } = FUNCTIONS[name];
  const headers = { host: "hvz.example", "x-forwarded-proto": "https", ...more };
  const event = gatewayEvent({ route, path, headers, address: "192.0.2.1" });
  const {
    statusCode,
    headers: sent,
    body = "",
  } = await asFunction(name, () => handler.on(s.services)(event, lambdaContext()));
  return { statusCode, etag: String(sent?.etag), bytes: Buffer.from(body, "base64") };
};

it("names the game in the page and in the manifest, as text, and in the same file until it is renamed", async () => {
  const gm = await s.admin();
  const name = `Ann's "$&" <script>alert(1)</script>`;
  await done(gm, "settings", { name, description: `Bring\n\n${"socks ".repeat(60)}` });
  s.now += 2 * SECOND;
  const first = await ask("home", "/");
  const html = first.bytes.toString();
  const escaped = "Ann&#39;s &quot;$&amp;&quot; &lt;script&gt;alert(1)&lt;/script&gt;";
  expect(html).toContain(`<title>${escaped}</title>`);
  expect(html).toContain(`<meta property="og:title" content="${escaped}"`);
  expect(html).toMatch(/og:description" content="Bring (socks ){32}…"/);
  expect(html).toMatch(/og:image" content="https:\/\/hvz\.example\/preview\.png\?\d+"/);
  expect(html).not.toContain("<script>alert");
  const { bytes, etag } = await ask("app", "/app/join");
  expect([bytes.toString(), etag]).toEqual([html, first.etag]);
  expect(await ask("home", "/", { "if-none-match": etag })).toMatchObject({ statusCode: 304 });
  const manifest = JSON.parse((await ask("app", "/app/manifest.webmanifest")).bytes.toString());
  expect(manifest).toMatchObject({ name, short_name: name });
  await done(gm, "settings", { name: "Campus" });
  s.now += 2 * SECOND;
  const renamed = JSON.parse((await ask("app", "/app/manifest.webmanifest")).bytes.toString());
  expect(renamed.name).toBe("Campus");
  expect((await ask("home", "/", { "if-none-match": etag })).bytes.toString()).toContain(
    "<title>Campus</title>",
  );
});

it("serves the page without the game's name when the database does not answer", async () => {
  s.beforeCall = () => {
    throw new Error("no answer");
  };
  const { statusCode, bytes } = await ask("home", "/");
  expect([statusCode, bytes.toString().includes("<title>Humans vs Zombies</title>")]).toEqual([200, true]);
});

it("draws the outbreak at most once a minute, whoever asks, also of a game without players", async () => {
  // One that fails is drawn again at once.
  s.beforeCall = () => {
    throw new Error("no answer");
  };
  expect((await ask("preview", "/preview.png")).statusCode).toBe(500);
  s.beforeCall = undefined;
  const first = await ask("preview", "/preview.png");
  const { width, height, format } = await sharp(first.bytes).metadata();
  expect([width, height, format]).toEqual([1_200, 630, "png"]);
  await s.game("Zed", "Ada");
  s.now += 50 * SECOND;
  expect((await ask("preview", "/preview.png")).etag).toBe(first.etag);
  s.now += 11 * SECOND;
  const both = await Promise.all([ask("preview", "/preview.png"), ask("preview", "/preview.png?x=1")]);
  expect(both[0].etag).not.toBe(first.etag);
  expect(both[1].etag).toBe(both[0].etag);
  // Its colours are those of who is in play: one human, one zombie, no corpse.
  const { data } = await sharp(both[0].bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colours = data.toString("hex").match(/.{6}/g) ?? [];
  const seen = Object.values(SIDES).map(
    ({ fill }) => colours.filter((colour) => `#${colour}` === fill).length > 10_000,
  );
  expect(seen).toEqual([true, true, false]);
});
