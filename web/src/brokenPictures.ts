/** Loads pictures again that the gateway turned away, which no browser does by itself. */
import { waitMs } from "../../client/src/retry.ts";

const MAX_ATTEMPTS = 6;
const attempts = new WeakMap<Element, number>();

type Picture = HTMLImageElement | SVGImageElement;

/** Loads a picture again after a while, at most five times. */
export const loadAgain = (picture: Picture): void => {
  const attempt = (attempts.get(picture) ?? 0) + 1;
  const name = picture instanceof HTMLImageElement ? "src" : "href";
  const url = picture.getAttribute(name);
  if (attempt === MAX_ATTEMPTS || url === null) return;
  attempts.set(picture, attempt);
  setTimeout(
    () => {
      // The page may show another one meanwhile.
      if (picture.getAttribute(name) === url) picture.setAttribute(name, url);
    },
    waitMs(attempt, null),
  );
};

/** Loads the pictures of the page again after an error. */
export const repeatPictures = (): void =>
  addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLImageElement || target instanceof SVGImageElement) loadAgain(target);
    },
    true,
  );
