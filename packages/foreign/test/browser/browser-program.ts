import { existsSync } from 'node:fs'

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Browser of this machine; undefined where none is installed, and tests that need one are skipped and say so. */
export const browserProgram = programs.find((path) => existsSync(path))
