/** The English texts of the big screen. */
export const screenTexts = {
  connecting: "Waiting for the network",
  offline: (when: string) => `No network. This is the game as it was ${when}.`,
  noBoard: "Feed and board are for players only. A game master can show them here: Game, Rules of the game.",
  join: "Scan to join",
  qr: "QR code of the page to join",
  full: "Full screen",
  swarm: "Everybody as a dot: corpses in the middle, zombies around them, humans outside.",
};
