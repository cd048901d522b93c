/** The bounds of codes and of what they give. Imports nothing, as pages have them too. */
export const MAX_CODES = 500;
export const MAX_USES = 10_000;
export const MAX_POINTS = 10_000;
export const BADGE_NAME_LENGTH = 30;
export const BADGE_SYMBOL_LENGTH = 8;
