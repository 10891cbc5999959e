//! The command line, and the variables that stand for its flags.

use std::{collections::BTreeSet, env};

use clap::{
    ArgMatches, Command, Error,
    builder::{Resettable, StyledStr},
    error::{ContextKind, ContextValue},
    parser::ValueSource,
};

use crate::config::origin::{SettingSources, variable_name};

/// Reads the arguments. Exits if they are wrong, or only ask for help.
pub(crate) fn read(command: Command) -> ArgMatches {
    let matches = ignore_empty_variables(command).try_get_matches();
    matches.unwrap_or_else(|error| name_variable(error).exit())
}

/// A variable that is set but empty is not set: containers and systemd units pass on variables
/// that way.
fn ignore_empty_variables(command: Command) -> Command {
    command
        .mut_args(|argument| {
            let value = argument.get_env().and_then(env::var_os);
            let is_empty = value.is_some_and(|value| value.is_empty());
            if is_empty { argument.env(Resettable::Reset) } else { argument }
        })
        .mut_subcommands(ignore_empty_variables)
}

/// Adds to an error about a value that it is a variable's, if it is.
fn name_variable(mut error: Error) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(_) | None => None,
    };
    let Some(value) = context(ContextKind::InvalidValue) else { return error };
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    let flag = argument.split(['=', ' ', '[']).next().unwrap_or_default();
    let variable = variable_name(&flag.trim_start_matches('-').replace('-', "_"));
    let is_flag = |text: &str| text == flag || text.starts_with(&format!("{flag}="));
    let is_typed = env::args_os().any(|it| is_flag(&it.to_string_lossy()));
    if is_typed || env::var(&variable).ok().as_deref() != Some(value) {
        return error;
    }
    let tip = StyledStr::from(format!("the value is that of the variable {variable}"));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}

/// What the settings were set with.
pub(crate) fn setting_sources(matches: &ArgMatches) -> SettingSources {
    let set_by = |source: ValueSource| -> BTreeSet<String> {
        let names = matches.ids().map(clap::Id::as_str);
        names.filter(|name| matches.value_source(name) == Some(source)).map(str::to_owned).collect()
    };
    SettingSources {
        flags: set_by(ValueSource::CommandLine),
        variables: set_by(ValueSource::EnvVariable),
    }
}
