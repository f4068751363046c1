import { describe, expect, test } from 'vitest'
import { needsTerminal } from '../../src/composer/needs-terminal.ts'

describe('a command of the user', () => {
  test.each(
    [
      ['vi', 'vim a.txt', '/usr/bin/less README.md', 'sudo visudo', 'EDITOR=nano crontab -e', 'python3', 'ssh host'],
      ['git commit', 'git commit -a', 'git rebase -i HEAD~3', 'git add -p', 'git add src --patch', 'top'],
      ['sudo -u x vim a', 'sudo -Eu x vim', 'sudo --user x less a', 'sudo --user=x less a', 'sudo -n -- top'],
      ['env X=1 vim', 'env -i -u HOME X=1 vim a', 'doas -u x vi', 'nice -n 5 top', 'time vim', '/usr/bin/env vim'],
      ['sudo -e /etc/hosts', 'sudo -i', 'sudo -u x -s', 'sudo EDITOR=vi git commit', 'exec -a name vim'],
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
      ['sudo -u vim ls', 'sudo -s ls', 'env -u vim ls', 'env', 'sudo', 'nice -n 5 make', 'time npm test'],
    ].flat(),
  )('%s runs as others do', (command) => {
    expect(needsTerminal(command)).toBe(false)
  })
})
