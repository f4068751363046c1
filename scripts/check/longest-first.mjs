import { BaseSequencer } from 'vitest/node'

/** Projects whose files take long, in this order; those of the others fill what is left at the end. */
const longProjects = ['tui', 'server', 'foreign', 'client', 'host']
/** Folders whose tests wait for processes. Vitest knows only how long a file took here before, else its size. */
const longFolders = ['/test/attacks/', '/test/e2e/', '/test/faults/']

/**
 * Begins with the files that take longest, and keeps those of a project together, which share a worker. In vitest's own
 * order the attacks of apps/tui came last, in small files, and one worker ran them while the others had ended.
 */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const byProject = await super.sort(files)
    // The sort is stable: files of one rank stay as they are.
    return byProject.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ project, moduleId }) {
  const folder = longFolders.findIndex((name) => moduleId.includes(name))
  const place = longProjects.indexOf(project.name)
  const projectRank = place === -1 ? longProjects.length : place
  return projectRank * (longFolders.length + 1) + (folder === -1 ? longFolders.length : folder)
}
