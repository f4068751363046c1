import { describe, expect, test } from 'vitest'
import { needsTerminal } from '../../src/ui/needs-terminal.ts'

describe('a command of the user', () => {
  test.each(
    [
      ['vi', 'vim a.txt', '/usr/bin/less README.md', 'sudo visudo', 'EDITOR=nano crontab -e', 'python3', 'ssh host'],
      ['git commit', 'git commit -a', 'git rebase -i HEAD~3', 'git add -p', 'git add src --patch', 'top'],
    ].flat(),
  )('%s gets the terminal', (command) => {
    expect(needsTerminal(command)).toBe(true)
  })

  test.each(
    [
      [
        'npm test',
        'python3 x.py',
        'vim --version',
        'git commit -m x',
        'git commit -am x',
        'git commit --amend --no-edit',
      ],
      ['git rebase main', 'git add .', 'ls | less', 'man ls > ls.txt', 'echo vi', 'viewer', 'cat less', ''],
    ].flat(),
  )('%s runs as others do', (command) => {
    expect(needsTerminal(command)).toBe(false)
  })
})
