//! The JSON Schema of `pagekin.toml`, for editors.

use std::any::TypeId;

use clap::{Arg, Command, CommandFactory};
use serde_json::{Map, Value, json};

use crate::args::Args;
use crate::settings::sections::{SECTIONS, is_list, is_switch, key, negation, settable};

pub(crate) fn schema() -> Value {
    let command = Args::command();
    let sections: Map<String, Value> = SECTIONS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), section(command.find_subcommand(name)?))))
        .collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "pagekin.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": sections,
    })
}

fn section(command: &Command) -> Value {
    let mut properties = Map::new();
    for arg in settable(command) {
        let key = key(arg);
        if is_switch(arg) {
            let default = key.starts_with("no-");
            let description = format!("The opposite of {key}");
            properties.insert(
                negation(&key),
                json!({ "type": "boolean", "default": default, "description": description }),
            );
        }
        properties.insert(key, option(arg));
    }
    json!({
        "type": "object",
        "description": command.get_about().map(ToString::to_string).unwrap_or_default(),
        "additionalProperties": false,
        "properties": properties,
    })
}

fn option(arg: &Arg) -> Value {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let one = one(arg);
    let mut option = match one {
        one if is_list(arg) => json!({ "type": "array", "items": one }),
        one => one,
    };
    if let Value::Object(option) = &mut option {
        option.insert("description".to_owned(), help.into());
    }
    option
}

fn one(arg: &Arg) -> Value {
    if is_switch(arg) {
        return json!({ "type": "boolean", "default": false });
    }
    let names: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if !names.is_empty() {
        return json!({ "enum": names });
    }
    let is = |id: TypeId| arg.get_value_parser().type_id() == id;
    let whole = [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<usize>()];
    if whole.into_iter().any(is) {
        json!({ "type": "integer", "minimum": 0 })
    } else if is(TypeId::of::<f64>()) {
        json!({ "type": "number" })
    } else if is(TypeId::of::<u64>()) || arg.get_id() == "sources" {
        // A number, or a word or size such as `all` or 16M.
        json!({ "type": ["integer", "string"] })
    } else {
        json!({ "type": "string" })
    }
}
