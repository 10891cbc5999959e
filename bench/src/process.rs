//! Memory and processor time of a process, and the processor time of the whole machine.

use std::fs;

use anyhow::Context;

use crate::report::number;

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

/// Measures the processor time of the whole machine from its start: of this process, of the server,
/// of the database, and of anything else that runs.
pub(crate) struct MachineTime {
    started_s: f64,
}

impl MachineTime {
    pub(crate) fn start() -> anyhow::Result<Self> {
        Ok(Self { started_s: machine_seconds()? })
    }

    /// Microseconds for each of `count` things.
    pub(crate) fn us_per(&self, count: usize) -> anyhow::Result<f64> {
        Ok((machine_seconds()? - self.started_s) * 1e6 / number(count.max(1)))
    }
}

fn machine_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/stat")?;
    let ticks = busy_ticks(&stat).context("/proc/stat is not as expected")?;
    Ok(number(ticks) / TICKS_PER_SECOND)
}

/// User, nice, system, irq and softirq. Idle time, time that waits for the disk and time that other
/// virtual machines took are in between.
fn busy_ticks(stat: &str) -> Option<usize> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<usize> =
        line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    [0, 1, 2, 5, 6].iter().map(|position| fields.get(*position).copied()).sum()
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
    fn the_busy_time_of_the_machine_is_without_waiting() {
        let stat = "cpu  1 20 300 7777 8888 4000 50000 9999 0 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n";
        assert_eq!(busy_ticks(stat), Some(54_321));
        assert_eq!(busy_ticks("cpu 1 2"), None);
        assert!(MachineTime::start().unwrap().us_per(1).unwrap() >= 0.0);
    }

    #[test]
    fn this_process_has_used_memory_and_time() {
        assert!(memory_mib(std::process::id()).unwrap() > 0.1);
        assert!(processor_seconds(std::process::id()).unwrap() >= 0.0);
    }
}
