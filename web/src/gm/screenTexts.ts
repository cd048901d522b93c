/** The texts of the big screen, in English. */
export const screenTexts = {
  offline: "no network; the last known state",
  noBoard: "Feed and board are for players only. A game master can show them here: Game, Rules of the game.",
  join: "Scan to join",
  qr: "QR code of the page to join",
};
