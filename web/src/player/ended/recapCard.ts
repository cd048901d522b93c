/** Draws the recap as a picture to share, on this device. */
import { linesOf } from "../../../../lib/domain/lines.ts";
import { dotAt, dotsOf, dotWidth, SIDES } from "../../../../lib/domain/players/spiral.ts";
import type { Recap } from "./recap.ts";

export const [WIDTH, HEIGHT] = [1_080, 1_350];
const MARGIN = 84;
const INNER = WIDTH - 2 * MARGIN;
const FACE = '"Barlow Condensed", "Arial Narrow", system-ui, sans-serif';
const BODY = "system-ui, sans-serif";

/** How dark the dots are: of the others, of those on the player's side, and the player's own. */
const [OTHERS, SIDE] = [0.22, 0.6];

type Context = CanvasRenderingContext2D;

/** The largest size, from the given one down, in which a text fits. */
const sizeFor = (context: Context, text: string, size: number, width: number): number => {
  context.font = `700 ${size}px ${FACE}`;
  const wide = context.measureText(text).width;
  return wide <= width ? size : Math.floor((size * width) / wide);
};

const drawDots = (context: Context, { counts, state }: Recap, centre: number, radius: number): void => {
  const dots = dotsOf(counts);
  const dot = dotWidth(dots.length, radius) / 2;
  const own = dots.lastIndexOf(state);
  for (const [at, one] of dots.entries()) {
    const [x, y] = dotAt(at, dots.length, radius);
    context.globalAlpha = at === own ? 1 : one === state ? SIDE : OTHERS;
    context.beginPath();
    context.arc(WIDTH / 2 + x, centre + y, at === own ? 1.8 * dot : dot, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
};

const draw = (context: Context, recap: Recap): void => {
  const { fill, ink } = SIDES[recap.state];
  context.fillStyle = fill;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = ink;
  const monthAt = WIDTH - MARGIN;
  context.textAlign = "right";
  context.font = `400 38px ${BODY}`;
  context.fillText(recap.month, monthAt, MARGIN + 34);
  const monthWidth = context.measureText(recap.month).width;
  context.textAlign = "left";
  context.fillText(recap.name, MARGIN, MARGIN + 34, INNER - monthWidth - 40);
  const size = sizeFor(context, recap.own, 176, INNER);
  context.font = `700 ${size}px ${FACE}`;
  context.fillText(recap.own, MARGIN, 310);
  context.font = `400 46px ${BODY}`;
  const lines = linesOf(recap.text, (line) => context.measureText(line).width <= INNER);
  for (const [at, line] of lines.entries()) context.fillText(line, MARGIN, 382 + 58 * at);
  const top = 382 + 58 * lines.length;
  const bottom = HEIGHT - MARGIN - (recap.stats.length === 0 ? 0 : 200);
  drawDots(context, recap, (top + bottom) / 2, Math.min(INNER, bottom - top) / 2 - 16);
  const column = INNER / Math.max(3, recap.stats.length);
  for (const [at, [value, label]] of recap.stats.entries()) {
    context.font = `700 ${sizeFor(context, value, 124, column - 24)}px ${FACE}`;
    context.fillText(value, MARGIN + at * column, HEIGHT - MARGIN - 52);
    context.font = `400 36px ${BODY}`;
    context.fillText(label, MARGIN + at * column, HEIGHT - MARGIN, column - 24);
  }
};

/** The picture as a PNG file; `null` in a browser that cannot draw it. */
export const drawRecap = async (recap: Recap): Promise<File | null> => {
  // Without the display face the picture has another one.
  await document.fonts.load(`700 100px ${FACE}`).catch(() => []);
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const context = canvas.getContext("2d");
  if (context === null) return null;
  draw(context, recap);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  return blob === null ? null : new File([blob], "recap.png", { type: "image/png" });
};
