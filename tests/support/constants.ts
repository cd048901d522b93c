/** What the tests and the services they start agree on. */

/** 32 bytes in base64url: encrypts cursors. */
export const CURSOR_KEY = Buffer.alloc(32, 7).toString("base64url");
