/** What phones and chats take of the game without running its script: icons, names and pictures. */
import sharp from "sharp";
import { expect, it } from "vitest";
import { running } from "../support/running.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { BASE, describeInChromium, TIMEOUT, webPages } from "../support/webPages.ts";

const { base } = running();

const bytesAt = async (path: string): Promise<Buffer> => {
  const response = await fetch(new URL(path, base));
  expect(response.status, path).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

interface Icon {
  src: string;
  sizes: string;
  type: string;
  purpose?: string;
}

describeInChromium("the app on a phone", () => {
  const s = testEnvironment();
  const { done } = shortRequests(s);
  const { openPage } = webPages();

  it("tells a chat, which runs no script, the game's own name, what it is, and a picture of the outbreak", async () => {
    await done(await s.admin(), "settings", { name: "Ann's <Campus> & Co" });
    for (const path of ["/", "/app/join?code=abc"]) {
      const page = await openPage("/app/icon.svg");
      await page.setJavaScriptEnabled(false);
      // A process shows a game that it has read for a second.
      await expect
        .poll(async () => {
          await page.goto(new URL(path, BASE).href);
          return page.title();
        }, TIMEOUT)
        .toBe("Ann's <Campus> & Co");
      const tags = await page.$$eval("head meta[property]", (all) =>
        Object.fromEntries(all.map((meta) => [meta.getAttribute("property"), meta.getAttribute("content")])),
      );
      expect(tags["og:title"]).toBe("Ann's <Campus> & Co");
      expect(tags["og:description"]).toBe("One campus, one week. Stay human, or feed.");
      expect(tags["og:image"]).toMatch(new RegExp(`^${BASE}/preview\\.png\\?\\d+$`));
      const { width, height, format } = await sharp(await bytesAt(tags["og:image"] ?? "")).metadata();
      expect([`${width}`, `${height}`, `image/${format}`]).toEqual([
        tags["og:image:width"],
        tags["og:image:height"],
        tags["og:image:type"],
      ]);
    }
  });

  it("has icons of the sizes that they name, and a manifest that Chromium can install", async () => {
    const page = await openPage("/app/login");
    await page.waitForSelector("link[rel=manifest]", TIMEOUT);
    const session = await page.createCDPSession();
    const { errors, data } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    const manifest: { id: string; start_url: string; icons: Icon[] } = JSON.parse(data ?? "");
    expect(manifest).toMatchObject({ id: "/app/me", start_url: "/app/me", display: "standalone" });
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // A page of a test is in a window of its own, as an incognito one.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    const touch = await page.$eval("link[rel=apple-touch-icon]", (link) => ({
      ...{ src: String(link.getAttribute("href")), sizes: String(link.getAttribute("sizes")) },
      ...{ type: "image/png", purpose: "maskable" },
    }));
    const badge = { src: "/app/badge-96.png", sizes: "96x96", type: "image/png", purpose: "monochrome" };
    const icons = [...manifest.icons, touch, badge].filter(({ type }) => type === "image/png");
    expect(icons.map(({ sizes }) => sizes)).toEqual(["192x192", "512x512", "512x512", "180x180", "96x96"]);
    for (const { src, sizes, purpose } of icons) {
      const { width, height, format, hasAlpha } = await sharp(await bytesAt(src)).metadata();
      // What a phone cuts to its own shape, or shows as it is, must fill the square.
      expect([`${width}x${height}`, format, hasAlpha], src).toEqual([sizes, "png", purpose !== "maskable"]);
    }
  });
});
