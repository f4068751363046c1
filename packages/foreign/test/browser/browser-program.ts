import { existsSync } from 'node:fs'

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Browser of this machine; undefined without an installed one, and then tests that need it are skipped with this
 * reason.
 */
export const browserProgram = programs.find((path) => existsSync(path))
