import { BaseSequencer } from 'vitest/node'

/** Packages with long tests, in this order; the tests of other packages fill the time at the end. */
const longPackages = ['apps/tui', 'packages/server', 'packages/foreign', 'packages/client', 'packages/host']
/** Folders with tests that wait for processes. Vitest knows only the earlier duration of a file here, else its size. */
const longFolders = ['/test/attacks/', '/test/e2e/', '/test/faults/']

/**
 * Begins with the longest files, and keeps the files of a package together, which share a worker. In vitest's own order
 * the attacks of apps/tui came last, in small files, and one worker ran them while the others had ended.
 */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const byProject = await super.sort(files)
    // The sort is stable: files of one rank stay as they are.
    return byProject.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }) {
  const [place, folder] = [
    placeOf(
      longPackages.map((name) => `/${name}/`),
      moduleId,
    ),
    placeOf(longFolders, moduleId),
  ]
  return place * (longFolders.length + 1) + folder
}

/** Returns the index of the first part that the path contains; the length of the list without a match. */
function placeOf(parts, path) {
  const place = parts.findIndex((part) => path.includes(part))
  return place === -1 ? parts.length : place
}
