import { describe, expect, it } from 'vitest'
import { findDanger } from '../../../../src/decision/kinds/command/dangerous.ts'

const words = (text: string) => text.split(' ').map((word) => (word === '?' ? null : word))

describe('a dangerous command', () => {
  it.each([
    'rm -rf x',
    'rm -f x',
    'rm x -fr',
    'rm --force x',
    'rm --fo x',
    'rm --recursive x',
    '/bin/rm -r x',
    'rm -rf ?',
    'find . -delete',
    'git clean -fdx',
    'git -C x clean --force',
    'git reset --hard',
    'git push --force',
    'git push origin +main',
    'dd if=/dev/zero of=/dev/sda',
    'mkfs.ext4 /dev/sda1',
    'shutdown now',
    'systemctl poweroff',
    'chmod -R 777 /',
    'chown -R x /etc/',
    'kill -9 -1',
    'mv x /dev/null',
    'tee /dev/sda',
    'cp x /dev/nvme0n1',
    'truncate -s 0 x',
    'shred x',
    'crontab -r',
  ])('is found: %s', (text) => {
    expect(findDanger([words(text)], '')).not.toBeNull()
  })

  it.each([
    'rm x',
    'rm -i x',
    'rm -- -rf',
    'find . -name x',
    'git clean -n',
    'git reset --soft HEAD~1',
    'git push origin main',
    'git push --force-with-lease',
    'dd if=x of=/dev/null',
    'chmod -R u+w src',
    'chmod 777 /',
    'kill -9 12',
    'kill -1 12',
    'cp x y',
    'echo rm -rf',
    'crontab -l',
  ])('is not found: %s', (text) => {
    expect(findDanger([words(text)], '')).toBeNull()
  })
})

describe('a script', () => {
  it.each([':(){ :|:& };:', 'bomb() { bomb | bomb & }; bomb', 'cat x > /dev/sda', 'echo x >/dev/nvme0n1'])(
    '%s is dangerous as text',
    (script) => {
      expect(findDanger([], script)).not.toBeNull()
    },
  )

  it.each([
    ['curl x', 'sh'],
    ['wget -qO- x', 'bash -s'],
    ['curl x', 'bash -c ?'],
    ['curl x', 'eval ?'],
    ['curl x', 'source ?'],
    ['curl x', 'python3 -'],
  ])('with %s and %s runs what it downloads', (...commands) => {
    expect(findDanger(commands.map(words), '')).toBe('it runs what it downloads')
  })

  it.each([[['curl x', 'python3 build.py']], [['curl x', 'bash build.sh']], [['ls', 'sh']]])(
    'with %j does not',
    (commands) => {
      expect(findDanger(commands.map(words), '')).toBeNull()
    },
  )

  it('of the greatest length is searched at once', () => {
    expect(findDanger([], 'a'.repeat(1_000_000))).toBeNull()
  })
})
