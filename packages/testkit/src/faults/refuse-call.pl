#!/usr/bin/perl
# Runs a command in which the kernel refuses one system call:
#   refuse-call.pl CALL ERRNO ARGUMENT VALUE COMMAND...
# ARGUMENT is the place of an argument of the call, from 0, which must have VALUE; `-` stands for any call.
# Needs no rights. Processes that the command starts are refused it, too.
use strict;
use warnings;
use Config;
use Errno;

my %numbers = (
    # x86-64, arm64
    fcntl => [72, 25], fdatasync => [75, 83], fsync => [74, 82], write => [1, 64], pwrite64 => [18, 68],
    clone3 => [435, 435], connect => [42, 203], renameat2 => [316, 276], mkdirat => [258, 34],
    prctl => [157, 167], seccomp => [317, 277],
);
my $column = $Config{archname} =~ /^x86_64/ ? 0 : $Config{archname} =~ /^aarch64/ ? 1 : die "No table for this processor\n";
my ($call, $errno, $argument, $value, @command) = @ARGV;
my $number = ($numbers{$call} // die "No number of $call\n")->[$column];
my $code = Errno->can($errno) ? Errno->can($errno)->() : die "No errno $errno\n";

# Classic BPF over struct seccomp_data: the number of the call at 0, the low words of its arguments at 16, 24 …
my ($load, $jump, $return) = (0x20, 0x15, 0x06);
my ($allow, $refuse) = (0x7fff0000, 0x00050000 | $code);
my @lines = $argument eq '-'
    ? ([$load, 0, 0, 0], [$jump, 0, 1, $number], [$return, 0, 0, $refuse], [$return, 0, 0, $allow])
    : ([$load, 0, 0, 0], [$jump, 0, 3, $number], [$load, 0, 0, 16 + 8 * $argument], [$jump, 0, 1, $value],
        [$return, 0, 0, $refuse], [$return, 0, 0, $allow]);
my $program = join '', map { pack 'SCCL', @$_ } @lines;
my $filter = pack 'Sx6P', scalar @lines, $program;
syscall($numbers{prctl}[$column], 38, 1, 0, 0, 0) == 0 or die "No new privileges: $!\n";
syscall($numbers{seccomp}[$column], 1, 0, $filter) == 0 or die "Filter: $!\n";
exec { $command[0] } @command or die "$command[0]: $!\n";
