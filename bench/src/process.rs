//! Memory and processor time of a process.

use std::fs;

use anyhow::Context;

/// Linux counts processor time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// The memory of the process, in MiB.
pub(crate) fn memory_mib(pid: u32) -> anyhow::Result<f64> {
    read_memory(pid, "VmRSS:")
}

/// The peak memory of the process, in MiB.
pub(crate) fn memory_peak_mib(pid: u32) -> anyhow::Result<f64> {
    read_memory(pid, "VmHWM:")
}

fn read_memory(pid: u32, name: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib: u32 = line.context("no such line")?.trim().trim_end_matches(" kB").parse()?;
    Ok(f64::from(kib) / 1024.0)
}

/// The processor time of the process since its start, in user and kernel mode.
pub(crate) fn processor_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    processor_ticks(&stat)
        .map(|ticks| f64::from(ticks) / TICKS_PER_SECOND)
        .with_context(|| format!("/proc/{pid}/stat is not as expected: {stat}"))
}

/// The name of the program, in parentheses, may contain spaces. After it the times are the twelfth
/// and thirteenth fields.
fn processor_ticks(stat: &str) -> Option<u32> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(ticks()? + ticks()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_times_of_a_process_are_added() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0";
        assert_eq!(processor_ticks(stat), Some(42));
        assert_eq!(processor_ticks("7 (a) S 1"), None);
    }

    #[test]
    fn this_process_has_used_memory_and_time() {
        assert!(memory_mib(std::process::id()).unwrap() > 0.1);
        assert!(processor_seconds(std::process::id()).unwrap() >= 0.0);
    }
}
