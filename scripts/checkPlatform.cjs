/** Runs before npm's other scripts: on Windows they need a shell that is not there, and the error would not say why. */
if (process.platform === "win32") {
  console.error(`This project does not run in Windows itself, but in Linux inside Windows (WSL 2):
  1. In PowerShell: wsl --install   (restart when it asks for it, then open Ubuntu)
  2. In Ubuntu, in a folder of Linux such as ~ (not in /mnt/c): clone the project
  3. Install Node.js there, for example with nvm: nvm install 24
  4. Run npm ci and npm start there. The browser of Windows opens the service's address.
docs/platforms.md has more.`);
  process.exitCode = 1;
}
