/** A camera of Chromium that films a QR code. */
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "lean-qr";

/** The film, which Chromium reads when a page turns the camera on. */
const FILM = join(tmpdir(), `camera-${process.pid}.y4m`);

/** The options with which Chromium has this camera, and allows every page to use it. */
export const CAMERA = [
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-video-capture=${FILM}`,
];

const [WIDTH, HEIGHT, DOT] = [640, 480, 10];
const [WHITE, BLACK, GREY] = [235, 16, 128];

process.once("exit", () => rmSync(FILM, { force: true }));

/** Shows the QR code of a text to the camera. */
export const film = (text: string): void => {
  const code = generate(text);
  const [left, top] = [(WIDTH - code.size * DOT) >> 1, (HEIGHT - code.size * DOT) >> 1];
  const light = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  for (let y = 0; y < code.size * DOT; y += 1) {
    for (let x = 0; x < code.size * DOT; x += 1) {
      if (code.get(Math.floor(x / DOT), Math.floor(y / DOT))) light[(top + y) * WIDTH + left + x] = BLACK;
    }
  }
  const frame = Buffer.concat([Buffer.from("FRAME\n"), light, Buffer.alloc((WIDTH * HEIGHT) / 2, GREY)]);
  const header = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`);
  writeFileSync(FILM, Buffer.concat([header, frame, frame]));
};
